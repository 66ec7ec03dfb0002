import CNghttp2
import Glibc

/// An HTTP/2 client over TLS that sends what a test asks for. It enlarges windows only when it is
/// told to, and keeps what it receives. It blocks, for at most ten seconds a call. Belongs to one
/// thread.
package final class HTTP2Peer {
    /// What the client received on a stream.
    package struct Stream: Equatable {
        package var status: Int?
        /// Fields of the last head by their names.
        package var fields: [String: String] = [:]
        package var body: [UInt8] = []
        package var isEnded = false
        /// Bytes of the frame that ended it; nil if that was the head.
        package var bytesOfEnd: Int?
        /// The code of RST_STREAM.
        package var reset: Int?
    }

    /// The body of a request. nghttp2 has a pointer to it.
    private final class Body {
        var bytes: [UInt8] = []
        var isWhole = false
    }

    package private(set) var streams: [Int: Stream] = [:]
    /// Acknowledged PING frames.
    package private(set) var pongs = 0
    /// The codes of GOAWAY.
    package private(set) var farewells: [Int] = []
    package private(set) var isClosed = false
    package let tls: TLSPeer
    private var session: OpaquePointer?
    private var bodies: [Int32: Body] = [:]

    /// - Parameter window: the initial window of each stream. The connection's window is unlimited.
    package init(port: Int, _ offer: TLSPeer.Offer, window: Int = 65_535) throws {
        var offer = offer
        offer.applications = ["h2"]
        tls = try TLSPeer(port: port, offer)
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
        let settings = [
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue),
                value: UInt32(window)),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0),
        ]
        nghttp2_submit_settings(session, 0, settings, settings.count)
        giveWindow(1 << 30)
    }

    deinit { nghttp2_session_del(session) }

    // MARK: Requests

    /// Submits a request and returns its stream. With `ends` the request is complete.
    package func ask(
        _ path: String, method: String = "GET", fields: [(String, String)] = [], ends: Bool = true
    ) -> Int {
        let all =
            [
                (":method", method), (":scheme", "https"), (":authority", "localhost"),
                (":path", path),
            ]
            + fields
        var text: [UInt8] = []
        var ranges: [(name: Range<Int>, value: Range<Int>)] = []
        for (name, value) in all {
            let start = text.count
            text += name.utf8
            let middle = text.count
            text += value.utf8
            ranges.append((start..<middle, middle..<text.count))
        }
        let body = Body()
        let id = text.withUnsafeMutableBufferPointer { text in
            let fields = ranges.map { range in
                nghttp2_nv(
                    name: text.baseAddress.map { $0 + range.name.lowerBound },
                    value: text.baseAddress.map { $0 + range.value.lowerBound },
                    namelen: range.name.count, valuelen: range.value.count, flags: 0)
            }
            guard !ends else {
                return nghttp2_submit_request(session, nil, fields, fields.count, nil, nil)
            }
            var provider = nghttp2_data_provider(
                source: nghttp2_data_source(ptr: Unmanaged.passUnretained(body).toOpaque()),
                read_callback: Self.read)
            return nghttp2_submit_request(session, nil, fields, fields.count, &provider, nil)
        }
        bodies[id] = body
        streams[Int(id)] = Stream()
        return Int(id)
    }

    private static let read: nghttp2_data_source_read_callback = {
        _, _, place, room, flags, source, _ in
        guard let pointer = source?.pointee.ptr, let place, let flags else {
            return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
        }
        let body = Unmanaged<Body>.fromOpaque(pointer).takeUnretainedValue()
        let count = min(room, body.bytes.count)
        if count == 0, !body.isWhole { return Int(NGHTTP2_ERR_DEFERRED.rawValue) }
        UnsafeMutableRawBufferPointer(start: place, count: count).copyBytes(
            from: body.bytes.prefix(count))
        body.bytes.removeFirst(count)
        if body.isWhole, body.bytes.isEmpty { flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
        return count
    }

    /// Submits a part of the body of an incomplete request. With `ends` it is the last one.
    package func send(_ bytes: [UInt8], on stream: Int, ends: Bool = false) {
        bodies[Int32(stream)]?.bytes += bytes
        bodies[Int32(stream)]?.isWhole = ends
        nghttp2_session_resume_data(session, Int32(stream))
    }

    package func reset(_ stream: Int) {
        nghttp2_submit_rst_stream(session, 0, Int32(stream), NGHTTP2_CANCEL.rawValue)
    }

    /// Enlarges the window of a stream, or of the connection.
    package func giveWindow(_ bytes: Int, of stream: Int = 0) {
        nghttp2_submit_window_update(session, 0, Int32(stream), Int32(bytes))
    }

    // MARK: Bytes

    /// Sends what was submitted.
    package func flush() throws {
        while true {
            var bytes: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(session, &bytes)
            guard count > 0 else { return }
            try tls.send(Array(UnsafeBufferPointer(start: bytes, count: count)))
        }
    }

    /// Sends what was submitted, and receives until the condition holds or the server has closed.
    package func run(until isMet: (HTTP2Peer) -> Bool) throws {
        while !isClosed {
            // A server that closes may do so before it has read everything.
            do { try flush() } catch is TLSPeer.Failure {}
            if isMet(self) { return }
            do {
                let bytes = try tls.receiveRecord()
                isClosed = bytes.isEmpty
                nghttp2_session_mem_recv(session, bytes, bytes.count)
            } catch is TLSPeer.Failure {
                isClosed = true
            }
        }
    }

    /// Returns what was received on a stream once it has ended.
    package func answer(_ stream: Int) throws -> Stream {
        try run { peer in
            peer.streams[stream].map { $0.isEnded || $0.reset != nil } ?? false
        }
        return streams[stream] ?? Stream()
    }

    /// Returns once the server has taken everything that was sent before.
    package func ping() throws {
        let seen = pongs
        nghttp2_submit_ping(session, 0, nil)
        try run { $0.pongs > seen }
    }

    // MARK: Callbacks

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> HTTP2Peer? {
        pointer.map { Unmanaged<HTTP2Peer>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func set(_ callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameLength, value, valueLength, _, peer in
            guard let id = frame?.pointee.hd.stream_id, let peer = HTTP2Peer.of(peer) else {
                return 0
            }
            let name = String(
                decoding: UnsafeBufferPointer(start: name, count: nameLength), as: UTF8.self)
            let value = String(
                decoding: UnsafeBufferPointer(start: value, count: valueLength), as: UTF8.self)
            if name == ":status" {
                peer.streams[Int(id)]?.status = Int(value)
                peer.streams[Int(id)]?.fields = [:]
            } else {
                peer.streams[Int(id)]?.fields[name] = value
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            _, _, id, bytes, count, peer in
            HTTP2Peer.of(peer)?.streams[Int(id)]?.body += UnsafeBufferPointer(
                start: bytes, count: count)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, peer in
            if let frame { HTTP2Peer.of(peer)?.received(frame) }
            return 0
        }
    }

    private func received(_ frame: UnsafePointer<nghttp2_frame>) {
        let header = frame.pointee.hd
        let id = Int(header.stream_id)
        let isLast = header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        switch UInt32(header.type) {
        case NGHTTP2_HEADERS.rawValue where isLast: streams[id]?.isEnded = true
        case NGHTTP2_DATA.rawValue where isLast:
            streams[id]?.isEnded = true
            streams[id]?.bytesOfEnd = header.length
        case NGHTTP2_RST_STREAM.rawValue:
            streams[id]?.reset = Int(frame.pointee.rst_stream.error_code)
        case NGHTTP2_PING.rawValue where header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0:
            pongs += 1
        case NGHTTP2_GOAWAY.rawValue: farewells.append(Int(frame.pointee.goaway.error_code))
        default: break
        }
    }
}
