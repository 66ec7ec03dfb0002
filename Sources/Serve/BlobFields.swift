import FoundationEssentials
import HTTPTypes
import Pipeline
import Store

/// Header fields that every answer made of a blob has.
enum BlobFields {
    static func common(_ digest: Digest) -> HTTPFields {
        [
            .eTag: entityTag(digest),
            .reprDigest: "sha-256=:\(base64(digest)):",
            .xContentTypeOptions: "nosniff",
            .accessControlAllowOrigin: "*",
        ]
    }

    static func entityTag(_ digest: Digest) -> String { "\"\(digest)\"" }

    private static func base64(_ digest: Digest) -> String {
        Data(digest.bytes).base64EncodedString()
    }
}

/// `Cache-Status` (RFC 9211).
enum CacheStatus {
    static func field(_ outcome: CacheOutcome) -> String {
        switch outcome {
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
    static let xRequestID = constant("X-Request-Id")
    static let reprDigest = constant("Repr-Digest")

    /// For names that are tokens beyond doubt.
    static func constant(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("not a token: \(name)") }
        return name
    }
}
