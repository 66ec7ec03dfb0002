/// Writes the head of a response, once for all versions of HTTP. Without its empty line: the connection adds
/// what concerns itself.
package struct ResponseHead: Sendable {
    private var lines = FieldLines()

    package init(status: Int, reason: String) {
        lines.reserve()
        start(Array("HTTP/1.1 \(status) \(reason)\r\n".utf8))
    }

    /// An empty one.
    init() {}

    /// Removes everything, and keeps the memory for the next head.
    ///
    /// - Parameter line: a status line of HTTP/1.1 with CR LF.
    mutating func start(_ line: [UInt8]) {
        lines.clear()
        lines.addText(line)
    }

    /// Becomes a copy, in the memory that it has.
    mutating func set(_ head: Sent) { lines.set(head.bytes, head.places) }

    package mutating func add(_ name: String, _ value: String) { lines.add(name, value) }

    package mutating func add(_ fields: FieldLines) { lines.add(fields) }

    /// - Parameter write: appends the value.
    mutating func add(_ name: StaticString, _ write: (inout [UInt8]) -> Void) {
        lines.add(name, write)
    }

    /// Ends it for HTTP/1.
    ///
    /// - Parameters:
    ///   - closes: whether the connection closes after the response.
    ///   - isChunked: whether the body is sent in chunks.
    mutating func end(closes: Bool, isChunked: Bool = false) {
        if closes { setCloses() }
        if isChunked { lines.addText(Self.chunked) }
        lines.addText(Self.lineEnd)
    }

    /// The connection closes after the response.
    mutating func setCloses() { lines.addText(Self.close) }

    var bytes: [UInt8] { lines.bytes }
    var places: [FieldLines.Place] { lines.places }

    /// A head as it is sent, for the time of a call.
    struct Sent {
        /// As HTTP/1 sends it.
        let bytes: UnsafeRawBufferPointer
        /// What HTTP/2 sends of it.
        let places: UnsafeBufferPointer<FieldLines.Place>

        /// The digits of the status.
        var status: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[9..<12]) }
    }

    func sent(_ send: (Sent) -> Void) {
        bytes.withUnsafeBytes { bytes in
            places.withUnsafeBufferPointer { send(Sent(bytes: bytes, places: $0)) }
        }
    }

    /// Asks for the body of a request.
    static let invitation = ResponseHead(status: 100, reason: "Continue")

    private static let lineEnd = Array("\r\n".utf8)
    private static let close = Array("Connection: close\r\n".utf8)
    private static let chunked = Array("Transfer-Encoding: chunked\r\n".utf8)
}

extension [UInt8] {
    /// - Parameter number: not negative.
    mutating func append(decimal number: Int) {
        var rest = number
        var divisor = 1
        while rest / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / divisor))
            rest %= divisor
            divisor /= 10
        }
    }
}
