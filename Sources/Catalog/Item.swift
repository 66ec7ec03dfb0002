import Folders

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

    // Ids are compared by their bytes. Swift's strings equal others that look the same, such as é in one
    // character and in two, and a folder can have a file of each name.
    package static func == (one: Item, other: Item) -> Bool {
        ExactText(one.id) == ExactText(other.id) && one.kind == other.kind
            && one.source == other.source
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(source)
        hasher.combine(kind)
        hasher.combine(ExactText(id))
    }

    /// The kind of items of folders, whose ids are paths.
    package static let fileKind = "file"

    /// Parses `source/kind/id`; `nil` unless the text has three non-empty parts. Only ids of files have
    /// slashes.
    package init?(_ description: String) {
        // Not by characters: a file's name may begin with an accent, which makes one character with the
        // slash.
        let slash = UInt8(ascii: "/")
        let parts = description.utf8.split(
            separator: slash, maxSplits: 2, omittingEmptySubsequences: false
        ).map { Substring($0) }
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }),
            parts[1] == Self.fileKind || !parts[2].utf8.contains(slash)
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
