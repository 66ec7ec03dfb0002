package import FoundationEssentials

/// A key of an S3-compatible store. No text made from this value has the key.
package struct S3Credentials: Sendable, Equatable {
    package var accessKeyID: String
    package var secretAccessKey: String
    /// Only temporary credentials have one.
    package var sessionToken: String?
    /// When they become invalid; nil for never.
    package var expiresAt: Date?

    /// Returns nil if a part is empty or has characters that no header field can have.
    package init?(
        accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil,
        expiresAt: Date? = nil
    ) {
        let texts = [accessKeyID, secretAccessKey] + [sessionToken].compactMap(\.self)
        guard
            texts.allSatisfy({ text in
                !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
            })
        else { return nil }
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
        self.expiresAt = expiresAt
    }
}

extension S3Credentials {
    /// Returns whether a service at that URL may read credentials: over TLS, or on this machine.
    static func areSafe(at url: String) -> Bool {
        if url.lowercased().hasPrefix("https://") { return true }
        return ["127.0.0.1", "localhost", "[::1]", "169.254.170.2", "169.254.170.23"]
            .contains { host in
                ["/", ":"].contains { url.hasPrefix("http://\(host)\($0)") }
            } || url.hasPrefix("http://[fd00:ec2::23]/")
    }
}

extension S3Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "(set)" }
    package var debugDescription: String { description }
    // `dump` and string interpolation of an enclosing value read a mirror.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
