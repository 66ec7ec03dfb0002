import CNghttp2

/// What an HTTP/2 client has received.
package struct HTTP2Received: Sendable {
    /// The received frames of a stream.
    package struct Stream: Sendable, Equatable {
        package var status: Int?
        /// Fields of the last head by their names.
        package var fields: [String: String] = [:]
        package var body: [UInt8] = []
        package var bytes: Int { body.count }
        package var isEnded = false
        /// Bytes of the frame that ended it; nil if that was the head.
        package var bytesOfEnd: Int?
        /// The code of RST_STREAM.
        package var reset: Int?
    }

    package var streams: [Int: Stream] = [:]
    /// The server's setting.
    package var maxHeaderListSize: Int?
    /// Bytes by which the server has enlarged the connection's window.
    package var window = 0
    /// Acknowledged PING frames.
    package var pongs = 0
    /// Acknowledged SETTINGS frames.
    package var acknowledgments = 0
    /// The codes of GOAWAY.
    package var farewells: [Int] = []
    /// Whether the server has said that it sends nothing more (close_notify).
    package var isFinished = false
    package var isClosed = false

    package init() {}
}

/// The client's side of an HTTP/2 connection, without its socket. It enlarges windows only when it is
/// told to. Belongs to one thread.
package final class HTTP2ClientSession {
    /// The body of a request. nghttp2 has a pointer to it.
    private final class Body {
        var bytes: [UInt8] = []
        var isWhole = false
        var trailers: [(String, String)] = []
    }

    package let received: Watched<HTTP2Received>
    private var session: OpaquePointer?
    private var bodies: [Int32: Body] = [:]

    /// - Parameter window: the initial window of each stream. The connection's window is unlimited.
    package init(
        window: Int = 65_535, _ received: Watched<HTTP2Received> = Watched(HTTP2Received())
    ) {
        self.received = received
        var options: OpaquePointer?
        nghttp2_option_new(&options)
        defer { nghttp2_option_del(options) }
        nghttp2_option_set_no_auto_window_update(options, 1)
        var callbacks: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        defer { nghttp2_session_callbacks_del(callbacks) }
        Self.set(callbacks)
        nghttp2_session_client_new2(
            &session, callbacks, Unmanaged.passUnretained(self).toOpaque(), options)
        set(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, to: window, NGHTTP2_SETTINGS_ENABLE_PUSH)
        giveWindow(1 << 30)
    }

    deinit { nghttp2_session_del(session) }

    // MARK: Requests

    /// Submits a request and returns its stream. With `ends` the request is complete.
    package func ask(
        _ path: String, method: String = "GET", authority: String = "localhost",
        fields: [(String, String)] = [], ends: Bool = true
    ) -> Int {
        let all =
            [
                (":method", method), (":scheme", "https"), (":authority", authority),
                (":path", path),
            ] + fields
        let body = Body()
        let id = FieldList.with(all) { fields in
            guard !ends else {
                return nghttp2_submit_request(session, nil, fields, fields.count, nil, nil)
            }
            var provider = nghttp2_data_provider(
                source: nghttp2_data_source(ptr: Unmanaged.passUnretained(body).toOpaque()),
                read_callback: Self.read)
            return nghttp2_submit_request(session, nil, fields, fields.count, &provider, nil)
        }
        bodies[id] = body
        return Int(id)
    }

    private static let read: nghttp2_data_source_read_callback = {
        session, id, place, room, flags, source, _ in
        guard let pointer = source?.pointee.ptr, let place, let flags else {
            return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
        }
        let body = Unmanaged<Body>.fromOpaque(pointer).takeUnretainedValue()
        let count = min(room, body.bytes.count)
        if count == 0, !body.isWhole { return Int(NGHTTP2_ERR_DEFERRED.rawValue) }
        UnsafeMutableRawBufferPointer(start: place, count: count).copyBytes(
            from: body.bytes.prefix(count))
        body.bytes.removeFirst(count)
        guard body.isWhole, body.bytes.isEmpty else { return count }
        flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
        if !body.trailers.isEmpty {
            flags.pointee |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
            _ = FieldList.with(body.trailers) {
                nghttp2_submit_trailer(session, id, $0, $0.count)
            }
        }
        return count
    }

    /// Submits a part of the body of an incomplete request. With `ends` it is the last one; fields
    /// may follow it.
    package func send(
        _ bytes: some Sequence<UInt8>, on stream: Int, ends: Bool,
        trailers: [(String, String)] = []
    ) {
        let body = bodies[Int32(stream)]
        body?.bytes += bytes
        body?.isWhole = ends
        body?.trailers = trailers
        nghttp2_session_resume_data(session, Int32(stream))
    }

    package func reset(_ stream: Int) {
        nghttp2_submit_rst_stream(session, 0, Int32(stream), NGHTTP2_CANCEL.rawValue)
    }

    /// Enlarges the window of a stream, or of the connection.
    package func giveWindow(_ bytes: Int, of stream: Int = 0) {
        nghttp2_submit_window_update(session, 0, Int32(stream), Int32(bytes))
    }

    package func ping() { nghttp2_submit_ping(session, 0, nil) }

    /// Changes the size of the table for the fields of responses.
    package func setTableSize(_ bytes: Int) { set(NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, to: bytes) }

    private func set(
        _ setting: nghttp2_settings_id, to value: Int, _ zero: nghttp2_settings_id? = nil
    ) {
        var settings = [
            nghttp2_settings_entry(settings_id: Int32(setting.rawValue), value: UInt32(value))
        ]
        if let zero {
            settings.append(nghttp2_settings_entry(settings_id: Int32(zero.rawValue), value: 0))
        }
        nghttp2_submit_settings(session, 0, settings, settings.count)
    }

    // MARK: Bytes

    /// Returns what was submitted, as bytes to send.
    package func output() -> [UInt8] {
        var output: [UInt8] = []
        while true {
            var bytes: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(session, &bytes)
            guard count > 0 else { return output }
            output += UnsafeBufferPointer(start: bytes, count: count)
        }
    }

    /// Reads frames of the server.
    package func receive(_ bytes: [UInt8]) { nghttp2_session_mem_recv(session, bytes, bytes.count) }

    // MARK: Callbacks

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> HTTP2ClientSession? {
        pointer.map { Unmanaged<HTTP2ClientSession>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func set(_ callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameLength, value, valueLength, _, client in
            guard let id = frame?.pointee.hd.stream_id else { return 0 }
            let name = String(
                decoding: UnsafeBufferPointer(start: name, count: nameLength), as: UTF8.self)
            let value = String(
                decoding: UnsafeBufferPointer(start: value, count: valueLength), as: UTF8.self)
            HTTP2ClientSession.of(client)?.change(id) { stream in
                if name == ":status" {
                    (stream.status, stream.fields) = (Int(value), [:])
                } else {
                    stream.fields[name] = value
                }
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            _, _, id, bytes, count, client in
            HTTP2ClientSession.of(client)?.change(id) { stream in
                stream.body += UnsafeBufferPointer(start: bytes, count: count)
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, client in
            if let frame { HTTP2ClientSession.of(client)?.take(frame) }
            return 0
        }
    }

    private func change(_ id: Int32, _ change: (inout HTTP2Received.Stream) -> Void) {
        received.change { change(&$0.streams[Int(id), default: HTTP2Received.Stream()]) }
    }

    private func take(_ frame: UnsafePointer<nghttp2_frame>) {
        let header = frame.pointee.hd
        let id = header.stream_id
        let isLast = header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        let isAnswer = header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
        switch UInt32(header.type) {
        case NGHTTP2_HEADERS.rawValue where isLast: change(id) { $0.isEnded = true }
        case NGHTTP2_DATA.rawValue where isLast:
            change(id) { ($0.isEnded, $0.bytesOfEnd) = (true, header.length) }
        case NGHTTP2_RST_STREAM.rawValue:
            change(id) { $0.reset = Int(frame.pointee.rst_stream.error_code) }
        case NGHTTP2_WINDOW_UPDATE.rawValue where id == 0:
            let size = Int(frame.pointee.window_update.window_size_increment)
            received.change { $0.window += size }
        case NGHTTP2_PING.rawValue where isAnswer: received.change { $0.pongs += 1 }
        case NGHTTP2_SETTINGS.rawValue where isAnswer: received.change { $0.acknowledgments += 1 }
        case NGHTTP2_SETTINGS.rawValue:
            let settings = UnsafeBufferPointer(
                start: frame.pointee.settings.iv, count: frame.pointee.settings.niv)
            for setting in settings
            where setting.settings_id == Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue) {
                received.change { $0.maxHeaderListSize = Int(setting.value) }
            }
        case NGHTTP2_GOAWAY.rawValue:
            let code = Int(frame.pointee.goaway.error_code)
            received.change { $0.farewells.append(code) }
        default: break
        }
    }
}
