import FoundationEssentials
import Hashing

/// The parts of S3's XML answers that are used. A reader of exactly these documents, which have no
/// attributes that matter.
struct S3Document {
    private let text: String

    init(_ bytes: [UInt8]) { text = String(decoding: bytes, as: UTF8.self) }

    /// Returns the text of the first element with that name.
    func first(_ name: String) -> String? {
        Self.elements(name, in: text[...]).first.map(Self.plain)
    }

    /// The code of an error, such as `NoSuchBucket`.
    var code: String? {
        first("Code").flatMap { code in
            code.utf8.count <= 64 && code.utf8.allSatisfy { PercentCoding.isUnreserved($0) }
                ? code : nil
        }
    }

    /// Returns the answer of ListObjectsV2; nil if this is none.
    ///
    /// - Parameter prefix: is removed from each key.
    func list(without prefix: String) -> ObjectList? {
        guard text.contains("<ListBucketResult"), let truncated = first("IsTruncated") else {
            return nil
        }
        var entries: [ObjectList.Entry] = []
        for content in Self.elements("Contents", in: text[...]) {
            guard let key = Self.elements("Key", in: content).first.map(Self.plain),
                let size = Self.elements("Size", in: content).first.flatMap({ Int($0) }),
                key.hasPrefix(prefix)
            else { return nil }
            let modified = Self.elements("LastModified", in: content).first
            entries.append(
                .init(
                    key: String(key.dropFirst(prefix.count)), byteCount: size,
                    modifiedAt: modified.flatMap(Self.date)))
        }
        return ObjectList(entries: entries, isTruncated: truncated == "true")
    }

    /// Reads a date such as 2026-11-23T21:58:17Z or 2026-11-23T21:58:17.000Z, without its fraction. Returns
    /// nil for any other text.
    static func date(_ text: some StringProtocol) -> Date? {
        let zone = text.dropFirst(19).drop { $0 == "." || $0.isNumber }
        return try? Date("\(text.prefix(19))\(zone.isEmpty ? "Z" : zone)", strategy: .iso8601)
    }

    private static func elements(_ name: String, in text: Substring) -> [Substring] {
        var found: [Substring] = []
        var rest = text
        while let start = rest.firstRange(of: "<\(name)>") {
            let after = rest[start.upperBound...]
            guard let end = after.firstRange(of: "</\(name)>") else { break }
            found.append(after[..<end.lowerBound])
            rest = after[end.upperBound...]
        }
        return found
    }

    /// Returns a text without its entities.
    static func plain(_ text: Substring) -> String {
        guard text.contains("&") else { return String(text) }
        return String(text).replacing("&lt;", with: "<").replacing("&gt;", with: ">")
            .replacing("&quot;", with: "\"").replacing("&apos;", with: "'")
            .replacing("&amp;", with: "&")
    }
}
