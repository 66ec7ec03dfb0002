import HTTP
import HTTPTypes

/// The URL under which clients reach the service, for documents that contain their own URL. Pure.
struct ServiceAddress: Sendable, Equatable {
    /// What the URLs of a document begin with.
    struct Start: Sendable, Equatable {
        /// `https://pictures.example.org`, without a slash at its end.
        var url: String
        /// Whether the operator has named it. Otherwise it is what this one client sent, and a cache would show
        /// it to others.
        var isKnown: Bool
    }

    /// `https://pictures.example.org`, without a slash at its end; nil to use the request's.
    let publicURL: String?
    /// Of connections to this process.
    let scheme: String
    private let hosts: TrustedHosts
    private let standardPort: Int

    init(_ configuration: ServerConfiguration) {
        publicURL = configuration.publicURL.map { url in
            url.hasSuffix("/") ? String(url.dropLast()) : url
        }
        scheme = configuration.tls == nil ? "http" : "https"
        standardPort = Self.standardPort(configuration)
        hosts = TrustedHosts(host: configuration.host, names: configuration.hosts)
    }

    /// The port of URLs that name none.
    static func standardPort(_ configuration: ServerConfiguration) -> Int {
        configuration.tls == nil ? 80 : 443
    }

    /// Returns the start of every URL of the service in a document for that request.
    func start(_ request: Request) -> Start {
        if let publicURL { return Start(url: publicURL, isKnown: true) }
        if let name = hosts.known(request.authority, standardPort: standardPort) {
            return Start(url: "\(scheme)://\(name)", isKnown: true)
        }
        let host = request.authority.flatMap { Self.isPlain($0) ? $0 : nil } ?? "localhost"
        return Start(url: "\(scheme)://\(host)", isKnown: false)
    }

    /// Returns a path as header fields name it, which may stand without a host there.
    func reference(_ path: String) -> String { (publicURL ?? "") + path }

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

extension HTTPFields {
    /// Keeps every cache from storing a response. The fields that only caches read go.
    mutating func forbidStoring() {
        self[.cacheControl] = "private, no-store"
        self[.cdnCacheControl] = nil
        self[.age] = nil
    }

    /// Keeps caches that several clients share from storing a response.
    mutating func forbidSharing() {
        guard let life = self[.cacheControl], !life.contains("no-store") else { return }
        self[.cacheControl] = life.hasPrefix("public") ? "private" + life.dropFirst(6) : "private"
        self[.cdnCacheControl] = nil
    }

    /// Writes the names of `Vary` into one line. nginx before 1.23 reads only the last of several, and would
    /// answer everyone with what one of them got.
    mutating func joinVary() {
        guard let names = self[.vary] else { return }
        self[.vary] = names
    }
}
