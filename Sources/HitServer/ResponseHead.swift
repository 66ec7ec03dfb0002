/// Writes the head of a response in HTTP/1.1, without its empty line: the connection adds what concerns
/// itself.
package struct ResponseHead: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init(status: Int, reason: String) {
        bytes.reserveCapacity(768)
        bytes += Self.version
        bytes.append(decimal: status)
        bytes.append(UInt8(ascii: " "))
        bytes += reason.utf8
        bytes += Self.lineEnd
    }

    package mutating func add(_ name: String, _ value: String) {
        bytes += name.utf8
        bytes += Self.colon
        bytes += value.utf8
        bytes += Self.lineEnd
    }

    /// Ends it.
    ///
    /// - Parameters:
    ///   - closes: whether the connection closes after the response.
    ///   - isChunked: whether the body is sent in chunks.
    package mutating func end(closes: Bool, isChunked: Bool = false) {
        if closes { bytes += Self.close }
        if isChunked { bytes += Self.chunked }
        bytes += Self.lineEnd
    }

    static let close = Array("Connection: close\r\n".utf8)
    private static let version = Array("HTTP/1.1 ".utf8)
    private static let colon = Array(": ".utf8)
    private static let lineEnd = Array("\r\n".utf8)
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
