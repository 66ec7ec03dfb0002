import Serve

extension ConfigurationKey {
    static let server: [Self] = [
        .single(
            "server.host", \.server.host, .text("a host name or an address"),
            "Address to listen on; 0.0.0.0 for every network of the machine."),
        .single(
            "server.port", \.server.port, .integer(0...65_535, zero: "takes any free port"),
            "TCP port; 0 takes any free one."),
        .single(
            "server.shutdownTimeout", \.server.shutdownTimeout, .duration(.zero...hour),
            "What requests under way get to finish after SIGTERM."),
        .single(
            "server.tlsCertificate", \.server.tlsCertificate,
            .optional(.text("the path of a PEM file")),
            "Certificate with its chain: with it the service speaks TLS only, HTTP/2 included. Read "
                + "again on SIGHUP."),
        .single(
            "server.tlsKey", \.server.tlsKey, .optional(.text("the path of a PEM file")),
            "Private key of the certificate."),
        .single(
            "server.threads", \.server.tuning.threads, .integer(0...1_024, zero: "is one per core"),
            "Event loops; 0 is one per core."),
        .single(
            "server.hitPrecedence", \.server.tuning.hitPrecedence,
            .integer(0...90, zero: "is never"),
            "Percent of a core up to which a thread that answers hits runs before everything else on "
                + "the machine (SCHED_RR), where CAP_SYS_NICE or RLIMIT_RTPRIO permits it; 0 is never."
        ),
        .single(
            "server.backlog", \.server.tuning.backlog, .integer(1...65_535),
            "Connections that the kernel keeps until they are accepted; it may keep fewer."),
        .single(
            "server.maxConnections", \.server.tuning.maxConnections, .integer(1...1_000_000),
            "Open connections; at the bound those whose clients send next to nothing are closed, then "
                + "idle ones, and new ones wait to be accepted."),
        .single(
            "server.keepAliveTimeout", \.server.tuning.keepAliveTimeout,
            .duration(.milliseconds(1)...day),
            "How long a connection may idle between requests."),
        .single(
            "server.headerTimeout", \.server.tuning.headerTimeout,
            .duration(.milliseconds(1)...hour),
            "From the first byte of a request to the end of its header; slower is answered with 408."
        ),
        .single(
            "server.bodyTimeout", \.server.tuning.bodyTimeout,
            .duration(.milliseconds(1)...hour),
            "From the first byte of a request's body to its last; slower is answered with 408."),
        .single(
            "server.minBodyRate", \.server.tuning.minBodyRate, .size(0...(1 << 30)),
            "Bytes of a request's body a second, on the mean, once it takes longer than "
                + "headerTimeout; fewer are answered with 408."),
        .single(
            "server.lingerTimeout", \.server.tuning.lingerTimeout,
            .duration(.milliseconds(1)...hour),
            "How long the rest of a request is read and dropped after its answer, so that the client "
                + "gets to read that; then its connection is closed."),
        .single(
            "server.lingerSize", \.server.tuning.maxLingerBytes, .size(0...(1 << 30)),
            "Bytes that are read and dropped then at most."),
        .single(
            "server.sendTimeout", \.server.tuning.sendTimeout,
            .duration(.milliseconds(1)...hour),
            "A client that takes less than 16 KiB of its answer in this time is cut off."),
        .single(
            "server.maxHeaderSize", \.server.tuning.maxHeaderBytes, .size((1 << 10)...(1 << 20)),
            "Request line and header fields together; more is answered with 431."),
        .single(
            "server.maxTargetSize", \.server.tuning.maxTargetBytes, .size(256...(1 << 20)),
            "Path and query; more is answered with 414."),
        .list(
            "server.hosts", \.server.tuning.hosts,
            of: .text("a host name such as pictures.example.org") { text in
                !text.isEmpty
                    && text.utf8.allSatisfy { byte in
                        byte > 0x20 && byte < 0x7F && !"/:@,[]*".utf8.contains(byte)
                    }
            },
            "Names of this service, such as those that a proxy in front passes on: favorites, the "
                + "history and /admin are for requests to these, to an address or to localhost, and "
                + "for pages of these."),
    ]
}
