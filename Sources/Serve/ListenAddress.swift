import HTTP

/// Where a process listens: `127.0.0.1:9090`, `[::1]:9090`, `worker1:9090`.
package struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
    package var host: String
    /// 0 takes any free port.
    package var port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, !host.contains(where: \.isWhitespace) else { return nil }
        self.host = String(host)
        self.port = Int(port)
    }

    /// Whether only this machine reaches it.
    package var isLoopback: Bool { ListeningSocket.isLoopback(host) }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
