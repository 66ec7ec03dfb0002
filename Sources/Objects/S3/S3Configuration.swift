import Hashing

/// Where a bucket is, and how it is reached.
package struct S3Configuration: Sendable, Equatable {
    package enum Scheme: String, Sendable {
        case http, https
    }

    package var scheme: Scheme
    /// IPv6 in brackets.
    package var host: String
    /// Nil for the scheme's own.
    package var port: Int?
    package var region = "us-east-1"
    package var bucket: String
    /// Put before each key, without slash at its ends; empty for none.
    package var prefix = ""
    /// Whether the bucket is part of the path, and not of the host name.
    package var isPathStyle = true

    /// Reads `https://s3.eu-central-1.amazonaws.com` or `http://10.0.0.5:7480`. Returns nil for any
    /// other URL, also one with a path, a query or user information.
    package init?(endpoint: String, bucket: String) {
        guard let separator = endpoint.firstRange(of: "://"),
            let scheme = Scheme(rawValue: endpoint[..<separator.lowerBound].lowercased())
        else { return nil }
        var authority = endpoint[separator.upperBound...]
        if authority.hasSuffix("/") { authority.removeLast() }
        let isPlain = authority.utf8.allSatisfy { byte in
            PercentCoding.isUnreserved(byte) || [0x3a, 0x5b, 0x5d].contains(byte)
        }
        guard isPlain, !authority.isEmpty, Self.isBucket(bucket) else { return nil }
        self.scheme = scheme
        self.bucket = bucket
        let end = authority.hasPrefix("[") ? authority.firstIndex(of: "]") : authority.startIndex
        guard let end else { return nil }
        if let colon = authority[end...].firstIndex(of: ":") {
            guard let port = UInt16(authority[authority.index(after: colon)...]), port > 0 else {
                return nil
            }
            host = authority[..<colon].lowercased()
            let isDefault = Int(port) == (scheme == .https ? 443 : 80)
            self.port = isDefault ? nil : Int(port)
        } else {
            host = authority.lowercased()
        }
        guard !host.isEmpty else { return nil }
    }

    /// Returns whether a text can be a bucket's name, also an old one of Swift or Ceph.
    package static func isBucket(_ text: String) -> Bool {
        (3...63).contains(text.utf8.count) && !text.hasPrefix(".")
            && text.utf8.allSatisfy(PercentCoding.isUnreserved)
    }

    /// Returns whether a text can be a prefix: parts of plain characters, with slashes between them.
    package static func isPrefix(_ text: String) -> Bool {
        text.isEmpty || text.utf8.count <= 256 && ObjectKey(text) != nil
    }

    /// As in the `Host` field.
    var authority: String {
        let name = isPathStyle ? host : "\(bucket).\(host)"
        return port.map { "\(name):\($0)" } ?? name
    }

    /// The path of the bucket itself.
    var root: String { isPathStyle ? "/\(bucket)" : "/" }

    func path(_ key: String) -> String { isPathStyle ? "/\(bucket)/\(key)" : "/\(key)" }

    func full(_ key: String) -> String { prefix.isEmpty ? key : "\(prefix)/\(key)" }
}
