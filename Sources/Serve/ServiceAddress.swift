/// The URL under which clients reach the service, for documents that contain their own URL. Pure.
struct ServiceAddress: Sendable, Equatable {
    /// `https://pictures.example.org`, without a slash at its end; nil to use the request's.
    let publicURL: String?
    /// Of connections to this process.
    let scheme: String

    init(_ configuration: ServerConfiguration) {
        publicURL = configuration.publicURL.map { url in
            url.hasSuffix("/") ? String(url.dropLast()) : url
        }
        scheme = configuration.tls == nil ? "http" : "https"
    }

    /// Returns the start of every URL of the service, without a slash at its end.
    func url(_ request: Request) -> String {
        if let publicURL { return publicURL }
        let host = request.authority.flatMap { Self.isPlain($0) ? $0 : nil } ?? "localhost"
        return "\(scheme)://\(host)"
    }

    /// Whether the name of a host, perhaps with a port, can't end a URL or a header field early.
    private static func isPlain(_ authority: String) -> Bool {
        !authority.isEmpty
            && authority.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-.:[]_~".utf8.contains(byte)
                }
            }
    }
}
