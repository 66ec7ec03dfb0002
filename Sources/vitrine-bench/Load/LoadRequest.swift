/// A request that is ready to be sent, and the response that it must get.
struct LoadRequest: Sendable {
    var path: String
    /// Request line, fields and the empty line.
    var bytes: [UInt8]
    /// Statuses that are good.
    var statuses: [Int] = [200]
    /// Bytes of the body; nil accepts any number. For the first of ``statuses`` only.
    var length: Int?
    /// The body, compared with every ``LoadPlan/checkEvery``th response; nil compares none.
    var body: [UInt8]?

    /// - Parameter fields: further fields, such as `("If-None-Match", tag)`.
    static func get(
        _ path: String, host: String = "127.0.0.1", fields: [(String, String)] = []
    ) -> LoadRequest {
        let lines = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
        return LoadRequest(
            path: path,
            bytes: Array("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\(lines)\r\n".utf8))
    }

    /// The same request for a connection of its own. The server closes it, so that this side has its
    /// port back at once: with those of a second in use, connections would wait for ports.
    var closing: LoadRequest {
        var closing = self
        closing.bytes.removeLast(2)
        closing.bytes += Array("Connection: close\r\n\r\n".utf8)
        return closing
    }
}
