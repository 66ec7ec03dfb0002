import CNghttp2
import Glibc

/// The server's end of an HTTP/2 connection: frames, header compression and flow control, by
/// nghttp2. Owns the nghttp2 session. Belongs to the thread of its connection.
final class HTTP2Session {
    /// What a session calls during ``receive(_:)`` and ``fill(_:)``. None of these may call
    /// either.
    protocol Owner: AnyObject {
        /// A request has begun. `isWhole` means that it has no body.
        func received(_ block: inout FieldBlock, on id: Int32, isWhole: Bool)
        /// A part of a body. The client may send as much again once the bytes are consumed.
        func received(_ bytes: UnsafeRawBufferPointer, on id: Int32)
        func receivedEnd(on id: Int32)
        /// The head of a response is being written. Returns what ``respond(_:isKept:on:body:)`` got for it; nil
        /// if that is whole already.
        func head(of id: Int32) -> ResponseHead?
        /// The last frame of a response is written.
        func ended(_ id: Int32)
        func closed(_ id: Int32)
        /// The client has answered ``startShutdown()``.
        func acknowledgedShutdown()
        /// The client has broken the protocol on a stream, which is reset.
        func rejectedFrame()
        /// RST_STREAM is written, for whatever reason.
        func wroteReset(_ code: UInt32)
    }

    /// Why a session can't continue.
    enum Failure: Error {
        /// The bytes are not HTTP/2.
        case notHTTP2
        /// The client makes more work than is allowed.
        case flooded
        case other(cause: CInt)
    }

    /// Where ``fill(_:)`` puts frames.
    private var output: HTTP2Output?

    /// Bytes of bodies that all streams have sent since the connection began.
    private(set) var sent = 0

    private let handle: OpaquePointer
    private unowned let owner: any Owner
    private var block: FieldBlock
    private var writer = FieldWriter()
    /// What the frame that is being written has besides what nghttp2 writes.
    private var head: ResponseHead?

    /// - Parameter maxHeadBytes: announced to the client. Larger heads are not kept.
    init(_ owner: any Owner, maxHeadBytes: Int) throws(Failure) {
        self.owner = owner
        block = FieldBlock(limit: maxHeadBytes)
        handle = try Self.makeHandle()
        nghttp2_session_set_user_data(handle, Unmanaged.passUnretained(self).toOpaque())
        // Without RFC 7540's tree of priorities, which clients can make expensive. Those of RFC
        // 9218 hold instead.
        let settings = [
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue),
                value: Self.maxStreams),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue),
                value: UInt32(clamping: maxHeadBytes)),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES.rawValue), value: 1),
        ]
        try Self.check(nghttp2_submit_settings(handle, 0, settings, settings.count))
    }

    deinit { nghttp2_session_del(handle) }

    private static let maxStreams: UInt32 = 100
    /// Acknowledgments that may wait for a client that doesn't read.
    private static let maxAcknowledgments = 200

    private static func makeHandle() throws(Failure) -> OpaquePointer {
        var options: OpaquePointer?
        try check(nghttp2_option_new(&options))
        defer { nghttp2_option_del(options) }
        nghttp2_option_set_no_auto_window_update(options, 1)
        nghttp2_option_set_max_outbound_ack(options, maxAcknowledgments)
        var callbacks: OpaquePointer?
        try check(nghttp2_session_callbacks_new(&callbacks))
        defer { nghttp2_session_callbacks_del(callbacks) }
        set(callbacks)
        var handle: OpaquePointer?
        try check(nghttp2_session_server_new2(&handle, callbacks, nil, options))
        guard let handle else { throw Failure.other(cause: NGHTTP2_ERR_NOMEM.rawValue) }
        return handle
    }

    private static func check(_ code: CInt) throws(Failure) {
        if code != 0 { throw Failure.other(cause: code) }
    }

    // MARK: Bytes

    /// Takes bytes of the client.
    func receive(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let count = nghttp2_session_mem_recv(handle, start, bytes.count)
        if count < 0 { throw Self.failure(CInt(count)) }
    }

    /// Appends frames to `output` until it has enough for one record. Leaves it unchanged if there
    /// is nothing to send.
    func fill(_ output: HTTP2Output) throws(Failure) {
        self.output = output
        defer { self.output = nil }
        while !output.isFull {
            var bytes: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(handle, &bytes)
            if count < 0 { throw Self.failure(CInt(count)) }
            if count == 0 { return }
            let frame = UnsafeRawBufferPointer(start: bytes, count: count)
            output.append(frame)
            if let head = takeHead() { complete(frame.count, head, output) }
        }
    }

    /// Returns the head of a response whose frame was written last.
    private func takeHead() -> ResponseHead? {
        defer { head = nil }
        return head
    }

    /// Adds the fields of a response to the frame of its head, in which nghttp2 has written the status.
    ///
    /// - Parameter count: bytes of the frame.
    private func complete(_ count: Int, _ head: ResponseHead, _ output: HTTP2Output) {
        // nghttp2 has put nothing into the table. Should another version do it, the places in the table are
        // others than this end knows.
        if nghttp2_session_get_hd_deflate_dynamic_table_size(handle) > 0 { writer.close() }
        head.sent { head in
            output.extendFrame(of: count - HTTP2Output.headerSize, by: FieldWriter.most(head)) {
                writer.write(head, to: $0)
            }
        }
    }

    private static func failure(_ code: CInt) -> Failure {
        switch code {
        case NGHTTP2_ERR_BAD_CLIENT_MAGIC.rawValue: .notHTTP2
        case NGHTTP2_ERR_FLOODED.rawValue, NGHTTP2_ERR_TOO_MANY_CONTINUATIONS.rawValue: .flooded
        default: .other(cause: code)
        }
    }

    /// Whether everything is sent and received. The connection can be closed.
    var isDone: Bool {
        nghttp2_session_want_read(handle) == 0 && nghttp2_session_want_write(handle) == 0
    }

    // MARK: Requests

    /// The reader has taken that many bytes of a stream's body.
    func consume(_ count: Int, of id: Int32) { nghttp2_session_consume(handle, id, count) }

    /// Bytes of a body that is not read are dropped.
    func drop(_ count: Int) { nghttp2_session_consume_connection(handle, count) }

    /// Returns whether the client takes bytes of a stream at the moment.
    func hasWindow(_ id: Int32) -> Bool {
        nghttp2_session_get_remote_window_size(handle) > 0
            && nghttp2_session_get_stream_remote_window_size(handle, id) > 0
    }

    // MARK: Responses

    /// Sends a head. The stream ends with it unless a body follows.
    ///
    /// - Parameters:
    ///   - head: at most ``FieldWriter/maxHead`` long if the owner keeps it until it is written.
    ///   - isKept: whether it does. Otherwise nghttp2 copies all of the head.
    ///   - body: writes the body, and lives until its stream is closed.
    func respond(_ head: ResponseHead.Sent, isKept: Bool, on id: Int32, body: HTTP2Stream?) {
        Self.withFields(head, all: !isKept) { fields, count in
            guard let body else {
                nghttp2_submit_response(handle, id, fields, count, nil)
                return
            }
            var provider = nghttp2_data_provider(
                source: nghttp2_data_source(ptr: Unmanaged.passUnretained(body).toOpaque()),
                read_callback: Self.read)
            nghttp2_submit_response(handle, id, fields, count, &provider)
        }
    }

    /// Sends an interim response with status 100.
    func invite(_ id: Int32) {
        ResponseHead.invitation.sent { head in
            Self.withFields(head, all: true) { fields, count in
                nghttp2_submit_headers(handle, 0, id, nil, fields, count, nil)
            }
        }
    }

    /// A body that had nothing to write has something.
    func resume(_ id: Int32) { nghttp2_session_resume_data(handle, id) }

    func reset(_ id: Int32, _ code: nghttp2_error_code) {
        nghttp2_submit_rst_stream(handle, 0, id, code.rawValue)
    }

    /// Calls `body` with pointers into a head: to its status, and to its fields if it is `all`. nghttp2 copies
    /// what is submitted, and puts none of it into the table of fields.
    private static func withFields(
        _ head: ResponseHead.Sent, all: Bool, _ body: (UnsafePointer<nghttp2_nv>?, Int) -> Void
    ) {
        let count = 1 + (all ? head.places.count : 0)
        withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: count) { fields in
            let isKnown = FieldWriter.isStatic(status: head.status)
            fields.initializeElement(
                at: 0, to: field(RequestHead.bytes(":status"), head.status, isIndexed: isKnown))
            for index in 1..<count {
                let place = head.places[index - 1]
                fields.initializeElement(
                    at: index,
                    to: field(
                        UnsafeRawBufferPointer(rebasing: head.bytes[place.name]),
                        UnsafeRawBufferPointer(rebasing: head.bytes[place.value]),
                        isIndexed: false))
            }
            body(fields.baseAddress, count)
        }
    }

    private static func field(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, isIndexed: Bool
    ) -> nghttp2_nv {
        // nghttp2 never writes to them.
        nghttp2_nv(
            name: UnsafeMutablePointer(mutating: name.bytes),
            value: UnsafeMutablePointer(mutating: value.bytes), namelen: name.count,
            valuelen: value.count,
            flags: isIndexed ? 0 : UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue))
    }

    // MARK: The end

    /// Announces that the connection will close (RFC 9113, section 6.8), and asks for an
    /// acknowledgment. Requests that are under way by then are answered.
    func startShutdown() {
        nghttp2_submit_shutdown_notice(handle)
        nghttp2_submit_ping(handle, 0, nil)
    }

    /// Refuses further requests. The session is done with the last response.
    func finishShutdown() {
        nghttp2_submit_goaway(
            handle, 0, nghttp2_session_get_last_proc_stream_id(handle),
            NGHTTP2_NO_ERROR.rawValue, nil, 0)
    }

    /// Ends the session at once.
    func end(_ code: nghttp2_error_code) {
        nghttp2_session_terminate_session(handle, code.rawValue)
    }

    // MARK: Callbacks

    private static func set(_ callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, session in
            guard let frame, frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST else { return 0 }
            HTTP2Session.of(session)?.block.clear()
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameLength, value, valueLength, _, session in
            guard let frame, frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST else { return 0 }
            HTTP2Session.of(session)?.block.add(
                UnsafeRawBufferPointer(start: name, count: nameLength),
                UnsafeRawBufferPointer(start: value, count: valueLength))
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, session in
            guard let frame, let session = HTTP2Session.of(session) else { return 0 }
            session.received(frame)
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            _, _, id, bytes, count, session in
            HTTP2Session.of(session)?.owner.received(
                UnsafeRawBufferPointer(start: bytes, count: count), on: id)
            return 0
        }
        nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks) {
            _, _, _, session in
            HTTP2Session.of(session)?.owner.rejectedFrame()
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, session in
            guard let frame else { return 0 }
            let header = frame.pointee.hd
            // Most of those that nghttp2 decides on are reported nowhere else.
            if header.type == NGHTTP2_RST_STREAM.rawValue {
                HTTP2Session.of(session)?.owner.wroteReset(frame.pointee.rst_stream.error_code)
            }
            guard header.type == NGHTTP2_DATA.rawValue || header.type == NGHTTP2_HEADERS.rawValue,
                let session = HTTP2Session.of(session)
            else { return 0 }
            // Before the stream may be closed.
            if header.type == NGHTTP2_HEADERS.rawValue {
                session.head = session.owner.head(of: header.stream_id)
            }
            if header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 {
                session.owner.ended(header.stream_id)
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, _, session in
            HTTP2Session.of(session)?.owner.closed(id)
            return 0
        }
        nghttp2_session_callbacks_set_send_data_callback(callbacks) {
            _, _, header, count, source, session in
            guard let session = HTTP2Session.of(session), let header, let body = source?.pointee.ptr
            else {
                return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
            }
            return session.send(
                UnsafeRawBufferPointer(start: header, count: HTTP2Output.headerSize), count,
                Unmanaged<HTTP2Stream>.fromOpaque(body).takeUnretainedValue())
        }
    }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> HTTP2Session? {
        pointer.map { Unmanaged<HTTP2Session>.fromOpaque($0).takeUnretainedValue() }
    }

    /// A frame with less would cost more than the record that it completes.
    private static let leastFrame = 2_048

    /// Says how much of a body the next frame has. The end travels with the last bytes, never in
    /// an empty frame after them: libcurl is done at `Content-Length`, and resets such a stream.
    private static let read: nghttp2_data_source_read_callback = {
        _, _, _, limit, flags, source, session in
        guard let flags, let body = source?.pointee.ptr, let session = HTTP2Session.of(session)
        else {
            return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
        }
        // What is left of the output, or else the first record of the next one.
        let room = session.output.map(\.room) ?? 0
        let most = room >= leastFrame ? room : HTTP2Output.record - HTTP2Output.headerSize
        let stream = Unmanaged<HTTP2Stream>.fromOpaque(body).takeUnretainedValue()
        switch stream.next(upTo: min(limit, most)) {
        case .bytes(let count, let isLast):
            flags.pointee |= NGHTTP2_DATA_FLAG_NO_COPY.rawValue
            if isLast { flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
            return count
        case .none: return Int(NGHTTP2_ERR_DEFERRED.rawValue)
        case .broken: return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
        }
    }

    private func send(
        _ header: UnsafeRawBufferPointer, _ count: Int, _ stream: HTTP2Stream
    ) -> CInt {
        guard let output, count <= output.room else { return NGHTTP2_ERR_WOULDBLOCK.rawValue }
        output.append(header)
        guard output.append(count, { stream.write(to: $0) }) else {
            output.removeLast(header.count + count)
            return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
        }
        sent += count
        return 0
    }

    private func received(_ frame: UnsafePointer<nghttp2_frame>) {
        let header = frame.pointee.hd
        let isLast = header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        switch UInt32(header.type) {
        case NGHTTP2_HEADERS.rawValue where frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST:
            owner.received(&block, on: header.stream_id, isWhole: isLast)
        // Those after a body are its end.
        case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
            if isLast { owner.receivedEnd(on: header.stream_id) }
        case NGHTTP2_SETTINGS.rawValue:
            let settings = UnsafeBufferPointer(
                start: frame.pointee.settings.iv, count: frame.pointee.settings.niv)
            let isSmaller = settings.contains {
                $0.settings_id == NGHTTP2_SETTINGS_HEADER_TABLE_SIZE.rawValue
                    && $0.value < FieldWriter.tableSize
            }
            // The client empties its table, or parts of it.
            if isSmaller { writer.close() }
        case NGHTTP2_PING.rawValue:
            if header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0 { owner.acknowledgedShutdown() }
        default: break
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var bytes: UnsafePointer<UInt8>? {
        baseAddress?.assumingMemoryBound(to: UInt8.self)
    }
}
