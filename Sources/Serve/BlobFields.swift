import FoundationEssentials
import HTTPTypes
import Hashing
import Store

/// Header fields of every response made of a blob.
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

    /// Returns the entity tag of a document that is generated for a response.
    static func entityTag(of body: [UInt8]) -> String { entityTag(Digest(of: body)) }

    private static func base64(_ digest: Digest) -> String {
        Data(digest.bytes).base64EncodedString()
    }
}

extension HTTPField.Name {
    static let cacheStatus = constant("Cache-Status")
    static let serverTiming = constant("Server-Timing")
    static let traceParent = constant("traceparent")
    static let traceState = constant("tracestate")
    static let xRequestID = constant("X-Request-Id")
    static let reprDigest = constant("Repr-Digest")

    /// Returns a field name. The text must be a token.
    static func constant(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("not a token: \(name)") }
        return name
    }
}
