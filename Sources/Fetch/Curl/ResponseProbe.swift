/// Reads a response as libcurl delivers it, without a transfer. For the fuzzer.
package enum ResponseProbe {
    /// Returns the body without content codings; nil if the response can't be used.
    ///
    /// - Parameters:
    ///   - fields: lines without their ends.
    ///   - piece: bytes of the body that arrive at once.
    package static func body(
        _ fields: [[UInt8]], _ body: [UInt8], piece: Int, maxBytes: Int
    ) -> [UInt8]? {
        var reception = Reception(maxBytes: maxBytes)
        for line in [Array("HTTP/1.1 200 OK".utf8)] + fields + [[]] {
            let line = line + [0x0D, 0x0A]
            guard line.withUnsafeBufferPointer({ reception.takeLine($0) }) else { return nil }
        }
        for start in stride(from: 0, to: body.count, by: max(1, piece)) {
            let part = body[start..<min(body.count, start + max(1, piece))]
            guard part.withUnsafeBufferPointer({ reception.takeBody($0) }) else { return nil }
        }
        return reception.lack == nil ? reception.body : nil
    }
}
