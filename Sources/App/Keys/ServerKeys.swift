import Serve

extension ConfigurationKey {
    static let server: [Self] = [
        .single(
            "server.host", \.server.host, .text("a host name or an address"),
            "Address to listen on; 0.0.0.0 is all networks of the machine."),
        .single(
            "server.port", \.server.port, .integer(0...65_535, zero: "takes any free port"),
            "TCP port; 0 takes any free port."),
        .single(
            "server.publicURL", \.server.publicURL,
            .optional(
                .text(
                    "a URL in ASCII of a host without a path, such as https://pictures.example.org",
                    where: isOrigin)),
            "URL under which clients reach the service, for documents that contain their own "
                + "URL. It has no path, because a proxy has to pass on every path as it is. "
                + "Without it, documents contain the host of each request, and caches don't keep "
                + "them unless server.hosts names that host."
        ).hidingUserInfo().reloaded(),
        .list(
            "server.hosts", \.server.hosts,
            of: .text("a host name in ASCII such as pictures.example.org") { text in
                !text.isEmpty
                    && text.utf8.allSatisfy { byte in
                        byte > 0x20 && byte < 0x7F && !"/:@,[]*".utf8.contains(byte)
                    }
            },
            "Host names that clients use. Favorites, history and /admin accept only these, "
                + "addresses and localhost, and only from such pages."
        ).reloaded(),
        .list(
            "server.offers", \.offeredRoutes, of: .choice,
            "What clients may ask for. What you don't name is 404. Empty: all but metrics and the "
                + "originals of built-in sources, which are for clients with the admin token and of "
                + "this machine only."),
        .single(
            "server.tlsCertificate", \.tlsCertificate,
            .optional(.text("the path of a PEM file")),
            "PEM file of the certificate and its chain. With it the service accepts only TLS, "
                + "with HTTP/2. A reload reads it again."),
        .single(
            "server.tlsKey", \.tlsKey, .optional(.text("the path of a PEM file")),
            "PEM file of the certificate's private key."),
        Self.single(
            "server.adminAddress", \.wantedAdminAddress, .optional(.listenAddress),
            "Address of its own for /metrics, /readyz and /admin, such as 127.0.0.1:9091. "
                + "Beside the pictures they are 404 then. A worker has no /admin there. Plain "
                + "HTTP; without an admin token only on loopback."
        ).formerly("worker.metrics"),
        .single(
            "server.shutdownTimeout", \.shutdownTimeout, .duration(.zero...hour),
            "How long running requests may finish after SIGTERM."),
        .single(
            "server.threads", \.server.threads, .integer(0...1_024, zero: "is one per core"),
            "Threads that serve connections; 0 is one per core."),
        .single(
            "server.maxConnections", \.server.maxConnections, .integer(1...1_000_000),
            "Open connections, at most what the limit of open files leaves. Near it, slow "
                + "ones are closed first, then idle ones. New ones wait."),
        .single(
            "server.keepAliveTimeout", \.server.keepAliveTimeout,
            .duration(.milliseconds(1)...day),
            "How long a connection may idle between requests."),
        .single(
            "server.headerTimeout", \.server.headerTimeout,
            .duration(.milliseconds(1)...hour),
            "Limit from the first byte of a request to the end of its header. Slower "
                + "requests get 408."),
        .single(
            "server.bodyTimeout", \.server.bodyTimeout,
            .duration(.milliseconds(1)...hour),
            "Limit from the first to the last byte of a request's body. Slower requests "
                + "get 408."),
        .single(
            "server.sendTimeout", \.server.sendTimeout,
            .duration(.milliseconds(1)...hour),
            "A client that reads less than 16 KiB of its response in this time is "
                + "disconnected."),
        .single(
            "server.maxHeaderSize", \.server.maxHeaderBytes, .size((1 << 10)...(1 << 20)),
            "Limit of the request line and header fields together. Larger requests get "
                + "431."),
    ]

    /// Whether a text is a scheme and a host, perhaps with a port and a slash.
    private static func isOrigin(_ text: String) -> Bool {
        guard let scheme = ["http://", "https://"].first(where: text.hasPrefix) else {
            return false
        }
        var host = text.dropFirst(scheme.count)
        if host.last == "/" { host.removeLast() }
        return host.first.map { $0 != ":" } == true
            && host.utf8.allSatisfy { byte in
                byte > 0x20 && byte < 0x7F && !"/?#<>\"\\@,|^`{}%".utf8.contains(byte)
            }
    }

    static let log: [Self] = [
        .single(
            "log.level", \.log.level, .choice,
            "Minimum log level."
        ).reloaded(),
        .single(
            "log.format", \.log.format, .choice,
            "text for people, json (one object per line) for machines. Both go to standard "
                + "error."),
        .single(
            "log.access", \.server.accessLog, .choice,
            "Which requests are logged at level info: slow is all except hits in memory or in a "
                + "known file. At level debug all are logged, also /healthz, /readyz and "
                + "/metrics."),
    ]
}

extension ValueSyntax where Value == ListenAddress {
    static var listenAddress: Self {
        Self(
            expected: "an address such as 127.0.0.1:9091", parse: { ListenAddress($0) },
            print: { $0.description })
    }
}
