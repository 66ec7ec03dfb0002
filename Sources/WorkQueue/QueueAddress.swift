/// Where a queue is: `nats://HOST:PORT[,nats://…][/NAME]`.
package struct QueueAddress: Sendable, Equatable, CustomStringConvertible {
    /// URLs of the servers, with the credentials that they were given with.
    package let servers: [String]
    /// Begins the names of the streams, so that several fleets can share servers.
    package let name: String

    package static let defaultName = "vitrine"

    package init(servers: [String], name: String = defaultName) {
        self.servers = servers
        self.name = name
    }

    /// - Throws: ``QueueError/invalidAddress(reason:)``.
    package init(_ text: String) throws(QueueError) {
        var servers: [String] = []
        var name = Self.defaultName
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            guard let scheme = ["nats://", "tls://"].first(where: part.hasPrefix) else {
                throw Self.invalid("each server begins with nats:// or tls://")
            }
            var rest = part.dropFirst(scheme.count)
            if let slash = rest.firstIndex(of: "/") {
                let path = rest[rest.index(after: slash)...]
                guard index == parts.count - 1, path == QueueJob.token(String(path)) else {
                    throw Self.invalid(
                        "the name after the last server has letters, digits and - only")
                }
                name = String(path)
                rest = rest[..<slash]
            }
            guard !rest.isEmpty,
                !rest.contains(where: { $0.isWhitespace || $0 == "?" || $0 == "#" })
            else {
                throw Self.invalid("a server has no name")
            }
            servers.append(scheme + rest)
        }
        self.init(servers: servers, name: name)
    }

    /// The text that it was made from, with credentials. Never show it.
    package var secretText: String {
        servers.joined(separator: ",") + (name == Self.defaultName ? "" : "/\(name)")
    }

    /// Without credentials.
    package var description: String {
        let shown = servers.map { server -> String in
            guard let at = server.lastIndex(of: "@"), let scheme = server.firstRange(of: "://")
            else { return server }
            return server[..<scheme.upperBound] + String(server[server.index(after: at)...])
        }
        return shown.joined(separator: ",") + (name == Self.defaultName ? "" : "/\(name)")
    }

    /// The text is not repeated, because it may have a password.
    private static func invalid(_ reason: String) -> QueueError {
        .invalidAddress(
            reason: "The address of the queue is wrong: \(reason). Use "
                + "nats://HOST:4222,nats://HOST:4222.")
    }
}

/// How to log in to the servers, if their URLs don't say.
package struct QueueCredentials: Sendable {
    package var user: String?
    package var password: String?
    /// Path of a credentials file (JWT and key).
    package var file: String?

    package init(user: String? = nil, password: String? = nil, file: String? = nil) {
        self.user = user
        self.password = password
        self.file = file
    }
}
