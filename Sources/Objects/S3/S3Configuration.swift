import Hashing

/// The store that several nodes share, as the settings describe it.
package struct S3Configuration: Sendable, Equatable {
    /// Where credentials come from.
    package enum Credentials: String, Sendable, CaseIterable {
        /// The environment or the files, else the role of a web identity, else the container's
        /// endpoint, else the machine's.
        case auto
        /// The bucket is open.
        case none
        case webIdentity
        case container
        case instance
    }

    /// Nil for a machine that works alone.
    package var endpoint: StoreEndpoint?
    package var region = "us-east-1"
    /// Empty for none, which only a directory allows.
    package var bucket = ""
    /// Put before each key, without slash at its ends; empty for none.
    package var prefix = ""
    /// Whether the bucket is part of the path, and not of the host name.
    package var isPathStyle = true
    package var credentials = Credentials.auto

    package init() {}

    /// Returns whether a text can be a bucket's name, also an old one of Swift or Ceph.
    package static func isBucket(_ text: String) -> Bool {
        (3...63).contains(text.utf8.count) && !text.hasPrefix(".")
            && text.utf8.allSatisfy(PercentCoding.isUnreserved)
    }

    /// Returns whether a text can be the name of a region.
    package static func isRegion(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                PercentCoding.isUnreserved(byte) && !"._~".utf8.contains(byte)
            }
    }

    /// Returns whether a text can be a prefix: parts of plain characters, with slashes between them.
    package static func isPrefix(_ text: String) -> Bool {
        text.isEmpty || text.utf8.count <= 256 && ObjectKey(text) != nil
    }

    /// The path of the bucket itself.
    var root: String { isPathStyle ? "/\(bucket)" : "/" }

    /// Returns the path of the object of a key, whatever is in it. ``prefix`` is not put before it.
    func path(encoding key: String) -> String {
        let encoded = PercentCoding.encoded(key, keeping: "/")
        return isPathStyle ? "/\(bucket)/\(encoded)" : "/\(encoded)"
    }

    /// Returns the path of an object.
    func path(_ key: ObjectKey) -> String {
        let full = prefix.isEmpty ? key.text : "\(prefix)/\(key)"
        return isPathStyle ? "/\(bucket)/\(full)" : "/\(full)"
    }
}

/// Where a shared store is.
package enum StoreEndpoint: Sendable, Equatable {
    case s3(S3Service)
    /// The path of a directory.
    case directory(String)

    private static let file = "file://"

    /// Reads `https://s3.eu-central-1.amazonaws.com`, `http://10.0.0.5:7480` or `file:///srv/pictures`;
    /// nil for any other text.
    package init?(_ text: String) {
        if text.hasPrefix("\(Self.file)/") {
            self = .directory(String(text.dropFirst(Self.file.count)))
        } else if let service = S3Service(text) {
            self = .s3(service)
        } else {
            return nil
        }
    }

    /// Such a text.
    package var text: String {
        switch self {
        case .s3(let service): service.text
        case .directory(let path): Self.file + path
        }
    }
}

/// The address of an S3-compatible service.
package struct S3Service: Sendable, Equatable {
    /// `http` or `https`.
    let scheme: String
    /// IPv6 in brackets.
    let host: String
    /// Nil for the scheme's own.
    let port: Int?
    /// The URL as it was given.
    let text: String

    /// Reads `https://s3.eu-central-1.amazonaws.com` or `http://10.0.0.5:7480`. Returns nil for any
    /// other URL, also one with a path, a query or user information.
    package init?(_ text: String) {
        guard let separator = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<separator.lowerBound].lowercased()
        guard ["http", "https"].contains(scheme) else { return nil }
        var authority = text[separator.upperBound...]
        if authority.hasSuffix("/") { authority.removeLast() }
        let isPlain = authority.utf8.allSatisfy { byte in
            PercentCoding.isUnreserved(byte) || [0x3a, 0x5b, 0x5d].contains(byte)
        }
        guard isPlain, !authority.isEmpty else { return nil }
        let end = authority.hasPrefix("[") ? authority.firstIndex(of: "]") : authority.startIndex
        guard let end else { return nil }
        if let colon = authority[end...].firstIndex(of: ":") {
            guard let port = UInt16(authority[authority.index(after: colon)...]), port > 0 else {
                return nil
            }
            host = authority[..<colon].lowercased()
            let isDefault = Int(port) == (scheme == "https" ? 443 : 80)
            self.port = isDefault ? nil : Int(port)
        } else {
            host = authority.lowercased()
            port = nil
        }
        guard !host.isEmpty else { return nil }
        self.scheme = scheme
        self.text = text
    }

    /// Returns Amazon's service in a region.
    package static func amazon(region: String) -> S3Service? {
        S3Service("https://s3.\(region).amazonaws.com\(region.hasPrefix("cn-") ? ".cn" : "")")
    }

    /// Returns the `Host` field of requests for a bucket.
    func authority(_ configuration: S3Configuration) -> String {
        let name = configuration.isPathStyle ? host : "\(configuration.bucket).\(host)"
        return port.map { "\(name):\($0)" } ?? name
    }
}
