package import Objects

/// A bucket whose pictures are shown, and what of it, as the settings describe it.
package struct BucketDefinition: Sendable, Equatable {
    /// First part of its items' names.
    package var name: String
    /// Name for people.
    package var title: String
    package var service: S3Service
    /// Region, bucket and the source of its credentials. Its endpoint and its prefix are not used.
    package var store: S3Configuration
    /// Put before each key: empty, or with a slash at its end.
    package var prefix: String
    /// Whether parts of keys that begin with a dot are shown.
    package var showsHidden = false
    /// Seconds after which an object is asked for again.
    package var recheck: Double = 60
    /// Whether the cache has copies of originals.
    package var keepsOriginals = false
    /// Nil unless the settings name an access key.
    package var keys: Keys?

    package init(
        name: String, title: String, service: S3Service, store: S3Configuration, prefix: String
    ) {
        self.name = name
        self.title = title
        self.service = service
        self.store = store
        self.prefix = prefix
    }

    /// The places of an access key's parts. They are for this bucket only.
    package struct Keys: Sendable, Equatable {
        /// A secret of a file, or of a variable of the environment.
        package struct Part: Sendable, Equatable {
            /// Nil until the variable is read.
            package var value: Secret?
            package var variable: String?

            package init(value: Secret? = nil, variable: String? = nil) {
                self.value = value
                self.variable = variable
            }
        }

        package var accessKeyID: Part
        package var secretAccessKey: Part
        package var sessionToken: Part?

        package init(accessKeyID: Part, secretAccessKey: Part, sessionToken: Part? = nil) {
            self.accessKeyID = accessKeyID
            self.secretAccessKey = secretAccessKey
            self.sessionToken = sessionToken
        }

        package var parts: [Part] {
            [accessKeyID, secretAccessKey] + [sessionToken].compactMap(\.self)
        }

        /// Nil if a part is missing, or has characters that no key has.
        package var credentials: S3Credentials? {
            guard let id = accessKeyID.value, let secret = secretAccessKey.value,
                parts.allSatisfy({ $0.value != nil })
            else { return nil }
            return S3Credentials(
                accessKeyID: id.reveal(), secretAccessKey: secret.reveal(),
                sessionToken: sessionToken?.value?.reveal())
        }
    }

    /// The beginning of a location: `s3://bucket/prefix`.
    package static let scheme = "s3://"

    /// Reads `s3://bucket/prefix`. Returns nil for any other text, also one with a part `.` or `..`, or with
    /// control characters.
    package static func location(_ text: String) -> (bucket: String, prefix: String)? {
        guard text.hasPrefix(scheme) else { return nil }
        let parts = text.utf8.dropFirst(scheme.utf8.count)
            .split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
        let bucket = String(Substring(parts[0]))
        guard S3Configuration.isBucket(bucket) else { return nil }
        var prefix = parts.count > 1 ? String(Substring(parts[1])) : ""
        if prefix.isEmpty { return (bucket, prefix) }
        if prefix.utf8.last != UInt8(ascii: "/") { prefix += "/" }
        guard prefix.utf8.count < S3Bucket.maxKey,
            BucketSource.isKey(prefix, showsHidden: true)
        else { return nil }
        return (bucket, prefix)
    }
}
