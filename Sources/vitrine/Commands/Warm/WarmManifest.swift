import App
import Catalog
import FoundationEssentials
import Pipeline

/// What came of each item of a run, as JSON lines in a file.
struct WarmManifest: Sendable {
    /// One line.
    struct Entry: Codable, Equatable {
        /// `source/kind/id`.
        var item: String
        /// Of an item that is a picture at a URL.
        var url: String?
        /// `picture`, `fallback`, `placeholder` or `failed`.
        var status: String
        /// Why it is not the first choice.
        var reason: String?
        /// Of the original.
        var digest: String?
        var bytes: Int?
        var width: Int?
        var height: Int?
        /// ThumbHash in base64.
        var thumbhash: String?
        /// Paths of the thumbnails on the service, by level and extension.
        var paths: [String: String]?

        /// Returns nil if the line is not a manifest's.
        init?(_ line: String) {
            guard let entry = try? JSONDecoder().decode(Entry.self, from: Data(line.utf8)) else {
                return nil
            }
            self = entry
        }

        init(_ warmed: WarmedItem) {
            item = "\(warmed.item)"
            url = SignedURL.url(of: warmed.item)
            status = warmed.ending.name
            reason = warmed.ending.reason
            guard let stored = warmed.stored else { return }
            digest = "\(stored.digest)"
            bytes = stored.byteCount
            width = stored.width
            height = stored.height
            thumbhash = stored.thumbHash.map { Data($0).base64EncodedString() }
            paths = Dictionary(
                uniqueKeysWithValues: stored.thumbnails.map { name, digest in
                    (name, "/b/\(digest).\(name.split(separator: ".").last ?? "")")
                })
        }

        var line: String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            // Encoding can't fail, because all members are texts and numbers.
            return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
    }

    private let writer: LineWriter

    /// Replaces the file.
    static func create(_ path: String) async throws(LocalFileError) -> WarmManifest {
        try await FileThreads.run { () throws(LocalFileError) in
            WarmManifest(writer: try LineWriter(path))
        }
    }

    func write(_ warmed: WarmedItem) async throws(LocalFileError) {
        let line = Entry(warmed).line
        try await FileThreads.run { [writer] () throws(LocalFileError) in try writer.write(line) }
    }
}
