import CNghttp2

/// The requests of an HTTP/2 connection of an origin.
final class OriginSession: ConnectionUser {
    /// A request, and the part of its response that is not sent. nghttp2 has a pointer to it.
    fileprivate final class Stream {
        var pseudo: [String: String] = [:]
        var headers: [(name: String, value: String)] = []
        var body: [UInt8] = []
        var underWay: OriginRequest?
        var unsent: ArraySlice<UInt8> = []
        var isWhole = false
    }

    private let state: OriginState
    private let number: Int
    private let loop: ConnectionLoop
    private var session: OpaquePointer?
    private var streams: [Int32: Stream] = [:]
    /// Streams whose request is complete. Callbacks must not submit anything.
    private var complete: [Int32] = []

    init(_ state: OriginState, number: Int, _ loop: ConnectionLoop) {
        (self.state, self.number, self.loop) = (state, number, loop)
        var callbacks: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        defer { nghttp2_session_callbacks_del(callbacks) }
        Self.set(callbacks)
        nghttp2_session_server_new(
            &session, callbacks, Unmanaged.passUnretained(self).toOpaque())
        let settings = [
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), value: 100)
        ]
        nghttp2_submit_settings(session, 0, settings, settings.count)
        pump()
    }

    deinit { nghttp2_session_del(session) }

    func received(_ bytes: [UInt8]) {
        if nghttp2_session_mem_recv(session, bytes, bytes.count) < 0 { loop.close() }
        let complete = complete
        self.complete = []
        for id in complete { answer(id) }
        pump()
    }

    func ended() {}

    func closed() {
        for stream in streams.values { end(stream) }
        streams = [:]
    }

    /// Hands what was submitted to the connection.
    fileprivate func pump() {
        while true {
            var bytes: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(session, &bytes)
            guard count > 0 else { return }
            loop.send(UnsafeBufferPointer(start: bytes, count: count))
        }
    }

    private func answer(_ id: Int32) {
        guard let stream = streams[id] else { return }
        let request = OriginRequest(
            method: stream.pseudo[":method"] ?? "", authority: stream.pseudo[":authority"] ?? "",
            target: stream.pseudo[":path"] ?? "", headers: stream.headers, body: stream.body,
            connection: number, httpVersion: "2")
        stream.underWay = request
        state.change { $0.begin(request) }
        let reply = state.reply(to: request)
        if reply.isSilent { state.change { $0.silences.insert([request.host, request.path]) } }
        ReplyWriter(reply, to: StreamOutlet(self, loop, id)) { [self] in end(stream) }.start()
    }

    private func end(_ stream: Stream) {
        guard let request = stream.underWay else { return }
        stream.underWay = nil
        state.change { $0.end(request) }
    }

    // MARK: For outlets

    fileprivate func stream(_ id: Int32) -> Stream? { streams[id] }

    fileprivate func submit(
        _ fields: [(String, String)], withBody: Bool, on id: Int32, _ stream: Stream
    ) {
        var provider = nghttp2_data_provider(
            source: nghttp2_data_source(ptr: Unmanaged.passUnretained(stream).toOpaque()),
            read_callback: Self.read)
        FieldList.with(fields) { list in
            _ =
                withBody
                ? nghttp2_submit_response(session, id, list, list.count, &provider)
                : nghttp2_submit_response(session, id, list, list.count, nil)
        }
        pump()
    }

    fileprivate func resume(_ id: Int32) {
        nghttp2_session_resume_data(session, id)
        pump()
    }

    fileprivate func reset(_ id: Int32) {
        nghttp2_submit_rst_stream(session, 0, id, NGHTTP2_INTERNAL_ERROR.rawValue)
        pump()
    }

    // MARK: Callbacks

    private static let read: nghttp2_data_source_read_callback = {
        _, _, place, room, flags, source, _ in
        guard let pointer = source?.pointee.ptr, let place, let flags else {
            return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
        }
        let stream = Unmanaged<Stream>.fromOpaque(pointer).takeUnretainedValue()
        let count = min(room, stream.unsent.count)
        if count == 0, !stream.isWhole { return Int(NGHTTP2_ERR_DEFERRED.rawValue) }
        UnsafeMutableRawBufferPointer(start: place, count: count).copyBytes(
            from: stream.unsent.prefix(count))
        stream.unsent = stream.unsent.dropFirst(count)
        if stream.isWhole, stream.unsent.isEmpty {
            flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
        }
        return count
    }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> OriginSession? {
        pointer.map { Unmanaged<OriginSession>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func set(_ callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, origin in
            if let id = frame?.pointee.hd.stream_id, let origin = OriginSession.of(origin),
                origin.streams[id] == nil
            {
                origin.streams[id] = Stream()
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameLength, value, valueLength, _, origin in
            guard let id = frame?.pointee.hd.stream_id,
                let stream = OriginSession.of(origin)?.streams[id]
            else { return 0 }
            let name = String(
                decoding: UnsafeBufferPointer(start: name, count: nameLength), as: UTF8.self)
            let value = String(
                decoding: UnsafeBufferPointer(start: value, count: valueLength), as: UTF8.self)
            if name.hasPrefix(":") {
                stream.pseudo[name] = value
            } else {
                stream.headers.append((name, value))
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            _, _, id, bytes, count, origin in
            OriginSession.of(origin)?.streams[id]?.body += UnsafeBufferPointer(
                start: bytes, count: count)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, origin in
            guard let header = frame?.pointee.hd,
                [NGHTTP2_HEADERS, NGHTTP2_DATA].map(\.rawValue).contains(UInt32(header.type)),
                header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
            else { return 0 }
            OriginSession.of(origin)?.complete.append(header.stream_id)
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, _, origin in
            guard let origin = OriginSession.of(origin) else { return 0 }
            if let stream = origin.streams.removeValue(forKey: id) { origin.end(stream) }
            return 0
        }
    }
}

/// Writes an answer as frames of one stream.
private final class StreamOutlet: ReplyOutlet {
    private let session: OriginSession
    let loop: ConnectionLoop
    private let id: Int32

    init(_ session: OriginSession, _ loop: ConnectionLoop, _ id: Int32) {
        (self.session, self.loop, self.id) = (session, loop, id)
    }

    var isOpen: Bool { loop.isOpen && session.stream(id) != nil }

    func sendRaw(_ bytes: [UInt8]) { reset() }

    func sendHead(_ reply: OriginReply) {
        guard let stream = session.stream(id) else { return }
        var fields = [(":status", String(reply.status))]
        for (name, value) in reply.headers where name.lowercased() != "connection" {
            fields.append((name.lowercased(), value))
        }
        if case .length(let length) = reply.framing, reply.status != 304 {
            fields.append(("content-length", String(length ?? reply.body.count)))
        }
        let hasBody =
            stream.pseudo[":method"] != "HEAD" && reply.status != 204 && reply.status != 304
        session.submit(fields, withBody: hasBody, on: id, stream)
    }

    func sendBody(_ bytes: ArraySlice<UInt8>, of reply: OriginReply) {
        session.stream(id)?.unsent += bytes
        session.resume(id)
    }

    func finish(_ reply: OriginReply) {
        session.stream(id)?.isWhole = true
        session.resume(id)
    }

    func close() { reset() }

    func reset() { session.reset(id) }
}
