import Hashing

/// A part of a list of a bucket's objects, as ListObjectsV2 answers it.
package struct BucketListing: Sendable, Equatable {
    /// In the order of their keys' bytes. The keys are below the prefix.
    package var objects: [ObjectList.Entry] = []
    /// Keys up to a slash that others have after them, with that slash. Below the prefix.
    package var directories: [String] = []
    /// Whether more follows.
    package var isTruncated = false
    /// With which the store continues the list; nil at its end.
    package var token: String?

    package var count: Int { objects.count + directories.count }

    /// The last of all keys and directories; nil if there is none.
    package var last: String? {
        guard let key = objects.last?.key else { return directories.last }
        guard let directory = directories.last else { return key }
        return Self.isBefore(key, directory) ? directory : key
    }

    /// Removes what a list that is continued has had already.
    mutating func drop(upTo after: String) {
        objects.removeAll { !Self.isBefore(after, $0.key) }
        directories.removeAll { !Self.isBefore(after, $0) }
    }

    /// Compares bytes. Swift's own order follows Unicode.
    private static func isBefore(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }
}

extension BucketListing {
    /// Reads the store's document; nil if it is none. Keys outside of the prefix and the directory are left
    /// out, and so are those that are not UTF-8.
    init?(_ document: [UInt8], below prefix: String, in directory: String) {
        var reader = ListingReader()
        reader.read(document)
        guard reader.isList, let truncated = reader.isTruncated else { return nil }
        isTruncated = truncated
        token = reader.token
        let beginning = prefix + directory
        /// Returns the key below the prefix.
        func key(_ text: String) -> String? {
            guard let key = reader.isEncoded ? PercentCoding.decoded(text, isForm: true) : text,
                key.utf8.starts(with: beginning.utf8)
            else { return nil }
            return String(Substring(key.utf8.dropFirst(prefix.utf8.count)))
        }
        objects = reader.entries.compactMap { entry in
            key(entry.key).map {
                ObjectList.Entry(
                    key: $0, byteCount: entry.byteCount,
                    modifiedAt: entry.modified.flatMap(S3Document.date))
            }
        }
        directories = reader.prefixes.compactMap(key)
        // Nearly all stores sort them already.
        objects.sort { Self.isBefore($0.key, $1.key) }
        directories.sort(by: Self.isBefore)
    }
}

/// Reads the elements of a list's document in one pass.
private struct ListingReader {
    struct Entry {
        var key = ""
        var byteCount = 0
        var modified: String?
    }

    var entries: [Entry] = []
    var prefixes: [String] = []
    var isList = false
    var isTruncated: Bool?
    var isEncoded = false
    var token: String?

    private var entry: Entry?
    private var isInPrefixes = false

    mutating func read(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[open...].dropFirst()
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return }
            let tag = rest[..<end]
            rest = rest[end...].dropFirst()
            if tag.first == UInt8(ascii: "/") {
                close(String(decoding: tag.dropFirst(), as: UTF8.self))
                continue
            }
            let name = tag.prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") }
            let text = rest.prefix { $0 != UInt8(ascii: "<") }
            self.open(String(decoding: name, as: UTF8.self), text)
        }
    }

    private mutating func open(_ name: String, _ text: ArraySlice<UInt8>) {
        func value() -> String { S3Document.plain(String(decoding: text, as: UTF8.self)[...]) }
        switch name {
        case "ListBucketResult": isList = true
        case "IsTruncated": isTruncated = value() == "true"
        case "EncodingType": isEncoded = value() == "url"
        case "NextContinuationToken": token = value()
        case "Contents": entry = Entry()
        case "CommonPrefixes": isInPrefixes = true
        case "Key": entry?.key = value()
        case "Size": entry?.byteCount = Int(value()) ?? 0
        case "LastModified": entry?.modified = value()
        case "Prefix" where isInPrefixes: prefixes.append(value())
        default: break
        }
    }

    private mutating func close(_ name: String) {
        switch name {
        case "Contents":
            if let entry { entries.append(entry) }
            entry = nil
        case "CommonPrefixes": isInPrefixes = false
        default: break
        }
    }
}
