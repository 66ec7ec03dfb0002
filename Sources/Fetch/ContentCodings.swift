/// What a `Content-Encoding` field says about a body (RFC 9110, section 8.4). Pure.
///
/// Storages repeat how a file was once uploaded, and servers put charsets and media types there. A name that
/// isn't registered says nothing about the bytes, so it is ignored, as browsers do.
struct ContentCodings: Equatable {
    /// A coding that is read.
    enum Coding: Equatable {
        case gzip
        /// Zlib's format, or deflate alone.
        case deflate
    }

    /// In the order in which they were applied.
    private(set) var applied: [Coding] = []
    /// The first registered coding that isn't read, in lower case.
    private(set) var unread: String?

    /// Whether the body isn't sent as it is.
    var isEmpty: Bool { applied.isEmpty && unread == nil }

    /// Codings that may be applied to each other. Servers apply one, and rarely a second by mistake.
    static let most = 4

    /// - Parameter values: of all fields, in their order.
    init(_ values: [String]) {
        for value in values {
            for name in value.split(separator: ",") {
                let name = name.drop { $0.isBlank }.lowercased()
                switch String(name.prefix { !$0.isBlank }) {
                case "gzip", "x-gzip": applied.append(.gzip)
                case "deflate": applied.append(.deflate)
                case let other where Self.unreadable.contains(other): unread = unread ?? other
                // Identity, and whatever is not a coding.
                default: continue
                }
            }
        }
    }

    /// Registered names (IANA, HTTP Content Coding Registry) that are not read.
    static let unreadable: Set<String> = [
        "aes128gcm", "br", "compress", "dcb", "dcz", "exi", "pack200-gzip", "x-compress", "zstd",
    ]
}

extension Character {
    fileprivate var isBlank: Bool { self == " " || self == "\t" }
}
