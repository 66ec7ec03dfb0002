/// One thing on show, identified by `source/kind/id`.
package struct Item: Sendable, Hashable, Codable, CustomStringConvertible {
    package var source: String
    package var kind: String
    package var id: String

    package init(source: String, kind: String, id: String) {
        self.source = source
        self.kind = kind
        self.id = id
    }

    package var description: String { "\(source)/\(kind)/\(id)" }

    /// The kind of items of folders, whose ids are paths.
    package static let fileKind = "file"

    /// Parses `source/kind/id`; `nil` unless the text has three non-empty parts. Only ids of files have
    /// slashes.
    package init?(_ description: String) {
        let parts = description.split(
            separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }),
            parts[1] == Self.fileKind || !parts[2].contains("/")
        else { return nil }
        self.init(source: String(parts[0]), kind: String(parts[1]), id: String(parts[2]))
    }
}

extension String {
    /// Returns a numeric item id without leading zeros; `nil` unless this is a positive number of
    /// at most `limit` digits.
    func itemNumber(atMostDigits limit: Int) -> String? {
        let digits = drop { $0 == "0" }
        guard !digits.isEmpty, digits.utf8.count <= limit,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return String(digits)
    }
}
