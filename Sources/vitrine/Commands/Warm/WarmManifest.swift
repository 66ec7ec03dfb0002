import App
import Catalog
import Console
import FoundationEssentials
import Imaging
import Pipeline
import Serve
import Synchronization
import Threads

/// What came of each item of a run, as JSON lines in a file.
struct WarmManifest: Sendable {
    /// One line.
    struct Entry: Codable, Equatable {
        /// `source/kind/id`; nil for a row that can't be read.
        var item: String?
        /// Of a row that can't be read, from 1.
        var line: Int?
        /// Of an item that is a picture at a URL.
        var url: String?
        /// As the list has them.
        var id: String?
        var title: String?
        /// `picture`, `fallback`, `placeholder` or `failed`; `unreadable` for a row that can't be read.
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
        /// The dominant color, `#rrggbb`.
        var color: String?
        /// Paths of the thumbnails on the service, by level and extension.
        var paths: [String: String]?
        /// Signed paths on the service that stay when the picture changes, by level. Only with a key
        /// for signed URLs; the format is negotiated, or an extension chooses it. Items without a picture have
        /// them, too: they show it once there is one.
        var signed: [String: String]?
        /// The signed paths with their widths, for an `img` element.
        var srcset: String?

        /// Returns nil if the line is not a manifest's.
        init?(_ line: String) {
            guard let entry = try? JSONDecoder().decode(Entry.self, from: Data(line.utf8)) else {
                return nil
            }
            self = entry
        }

        init(_ line: BadLine) {
            self.line = line.line
            status = Self.unreadable
            reason = line.reason
        }

        static let unreadable = "unreadable"

        init(_ warmed: WarmedItem) {
            item = "\(warmed.item)"
            url = SignedURL.url(of: warmed.item)
            status = warmed.ending.name
            reason = warmed.ending.reason
            guard let stored = warmed.stored else { return }
            digest = "\(stored.digest)"
            bytes = stored.byteCount
            width = stored.summary?.width
            height = stored.summary?.height
            thumbhash = (stored.summary?.thumbHash).map { Data($0).base64EncodedString() }
            color = stored.summary?.color.hex
            // Only the workers of a queue know the thumbnails that they made.
            if stored.thumbnails.isEmpty { return }
            paths = Dictionary(
                uniqueKeysWithValues: stored.thumbnails.map { name, digest in
                    (name, "/b/\(digest).\(name.split(separator: ".").last ?? "")")
                })
        }
    }

    private let path: String
    private let writer: LineWriter
    private let places = Places()
    private let signature: URLSignature
    private let levels: [Level]
    private let names: ListedNames?

    /// Replaces the file.
    ///
    /// - Parameters:
    ///   - signature: of paths to pictures at URLs.
    ///   - levels: that are warmed.
    static func create(
        _ path: String, signing signature: URLSignature, levels: [Level], _ names: ListedNames?
    ) async throws(LocalFileError) -> WarmManifest {
        try await FileThreads.run { () throws(LocalFileError) in
            WarmManifest(
                path: path, writer: try LineWriter(path), signature: signature, levels: levels,
                names: names)
        }
    }

    /// Returns the line of an item.
    func entry(_ warmed: WarmedItem) -> Entry {
        var entry = Entry(warmed)
        let listed = names?.take(warmed.item)
        entry.id = listed?.id
        entry.title = listed?.title
        guard warmed.item.source == SignedURL.name, signature.isConfigured else { return entry }
        var signed: [String: String] = [:]
        var candidates: [String] = []
        for level in levels.sorted(by: { $0.width < $1.width }) {
            // Signing fails without a key only.
            guard
                let path = try? SignedPath.of(
                    warmed.item, level: level.name, expires: nil, by: signature)
            else { continue }
            signed[level.name] = path
            if levels.ofOneShape.contains(level) {
                candidates.append("\(path) \(width(of: warmed, at: level))w")
            }
        }
        entry.signed = signed
        entry.srcset = candidates.joined(separator: ", ")
        return entry
    }

    /// Returns the width of a picture fitted into a level's box.
    private func width(of warmed: WarmedItem, at level: Level) -> Int {
        guard let original = warmed.stored?.summary, original.width > 0, original.height > 0,
            level.fit == .contain
        else { return level.width }
        let scale = min(
            1, Double(level.width) / Double(original.width),
            Double(level.height) / Double(original.height))
        return max(1, Int((Double(original.width) * scale).rounded()))
    }

    /// Writes the line of an item. Until ``finish()`` lines are in the order in which items end.
    func write(_ warmed: WarmedItem) async throws(LocalFileError) {
        let line = jsonLine(entry(warmed))
        let number = warmed.number
        try await FileThreads.run { [writer, places] () throws(LocalFileError) in
            places.note(number, try writer.write(line))
        }
    }

    /// Puts the lines into the list's order, and adds those of rows that repeat an earlier one's URL, with
    /// their own ids and titles, and of rows that can't be read. Call it after the run. A manifest that can't be
    /// read again, such as a pipe, stays as it is.
    func finish() async throws(LocalFileError) {
        let further = names?.further ?? []
        if further.isEmpty && places.isOrdered || LocalFile.kindOfEntry(path) != .file { return }
        try await FileThreads.run { [path, places] () throws(LocalFileError) in
            let file = try LineReader(path)
            let ordered = try LineWriter("\(path).part")
            var next = 0
            func write(upTo end: Int) throws(LocalFileError) {
                while next < end {
                    if let place = places.place(next) {
                        try ordered.write(try file.line(at: place))
                    }
                    next += 1
                }
            }
            // A run that ended early has not come to the others.
            for row in further where row.after < max(1, places.count) {
                try write(upTo: row.after + 1)
                switch row.content {
                case .unreadable(let line): try ordered.write(jsonLine(Entry(line)))
                case .repeated(let number, let id, let title):
                    guard let place = places.place(number),
                        var entry = Entry(try file.line(at: place))
                    else { continue }
                    (entry.id, entry.title) = (id, title)
                    try ordered.write(jsonLine(entry))
                }
            }
            try write(upTo: places.count)
            try LocalFile.move("\(path).part", to: path)
        }
    }

    /// Where the lines of items are in the file, by the items' numbers: 8 bytes an item. Thread-safe.
    private final class Places: Sendable {
        /// Bits of a length: lines of up to 16 MB.
        private static let lengthBits: UInt64 = 24

        /// Offset and length in one number; 0 for an item without a line.
        private let all = Mutex<[UInt64]>([])

        func note(_ number: Int, _ place: Range<Int>) {
            all.withLock { all in
                while all.count <= number { all.append(0) }
                all[number] = UInt64(place.lowerBound) << Self.lengthBits | UInt64(place.count)
            }
        }

        /// Whether the lines are in the items' order.
        var isOrdered: Bool {
            all.withLock { all in
                var last: UInt64 = 0
                for place in all where place != 0 {
                    if place < last { return false }
                    last = place
                }
                return true
            }
        }

        var count: Int { all.withLock(\.count) }

        func place(_ number: Int) -> Range<Int>? {
            let place = all.withLock { number < $0.count ? $0[number] : 0 }
            if place == 0 { return nil }
            let offset = Int(place >> Self.lengthBits)
            return offset..<offset + Int(place & (1 << Self.lengthBits - 1))
        }
    }
}
