import FoundationEssentials
import HTTP
import HTTPTypes
import Hashing
import Pipeline
import Store

extension HTTPFields {
    /// Fields of every response.
    static func common(at now: Date) -> HTTPFields {
        [.server: "vitrine", .date: HTTPDate.format(now)]
    }

    /// The fields that pages of other sites may read, where they may read a response at all, besides those that
    /// browsers always let them read.
    static let exposed = "ETag, Cache-Status, Retry-After, X-Request-Id"

    /// Lets pages of other sites read a response.
    mutating func allowAnyPage() {
        self[.accessControlAllowOrigin] = "*"
        self[.accessControlExposeHeaders] = Self.exposed
    }

    /// Keeps pages of other sites from reading a response.
    mutating func allowNoOtherPage() {
        self[.accessControlAllowOrigin] = nil
        self[.accessControlExposeHeaders] = nil
    }

    /// Fields of every response made of a blob.
    static func blob(_ digest: Digest) -> HTTPFields {
        [
            .eTag: digest.entityTag, .reprDigest: "sha-256=:\(digest.base64):",
            .xContentTypeOptions: "nosniff", .accessControlAllowOrigin: "*",
            .accessControlExposeHeaders: HTTPFields.exposed,
        ]
    }

    /// Headers that stop browsers from sniffing, framing or executing a response. The policy is that of every
    /// response except the page: it may not load, run or be framed. This covers SVG originals.
    private static let security: HTTPFields = [
        .xContentTypeOptions: "nosniff",
        .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'; sandbox",
        .referrerPolicy: "no-referrer",
        .xFrameOptions: "DENY",
    ]

    /// Adds these headers. Fields that are already present stay, because the gallery page has its own policy.
    mutating func addSecurity() {
        for field in Self.security where self[field.name] == nil { append(field) }
    }
}

extension Digest {
    /// The entity tag of a blob, or of a document that is generated for a response.
    var entityTag: String { "\"\(self)\"" }

    var base64: String { Data(bytes).base64EncodedString() }
}

extension CacheOutcome {
    /// The value of `Cache-Status` (RFC 9211).
    var cacheStatus: String {
        switch self {
        case .hit: "vitrine; hit"
        case .miss: "vitrine; fwd=miss; stored"
        case .collapsed: "vitrine; fwd=miss; collapsed"
        case .renewed: "vitrine; fwd=stale; stored"
        case .stale: "vitrine; fwd=stale"
        }
    }
}

extension HTTPField.Name {
    static let cacheStatus = constant("Cache-Status")
    static let serverTiming = constant("Server-Timing")
    static let traceParent = constant("traceparent")
    static let traceState = constant("tracestate")
    static let xRequestID = constant("X-Request-Id")
    static let reprDigest = constant("Repr-Digest")
    static let referrerPolicy = constant("Referrer-Policy")
    static let xFrameOptions = constant("X-Frame-Options")

    /// Returns a field name. The text must be a token.
    static func constant(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("not a token: \(name)") }
        return name
    }
}
