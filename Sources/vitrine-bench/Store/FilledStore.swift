import App
import Console
import Foundation
import Hashing
import Store
import Threads

/// A store whose content follows from a seed: index rows as a catalog of TV shows has them, and
/// blobs of the first of them. Each item has an original and a thumbnail per level.
struct FilledStore: Sendable {
    /// What it holds.
    struct Content: Sendable {
        /// Thumbnails in the index.
        var entries: Int
        var seed: UInt64

        /// Blobs of the first thumbnails. More would only fill the disk: a blob is found by its name.
        var blobs: Int { min(entries, 20_000) }
        fileprivate var mark: String { "entries \(entries), blobs \(blobs), seed \(seed)\n" }
    }

    /// Bytes of a blob: what a thumbnail of level m has on average.
    static let blobSize = 14_000
    static let levels = ["s:160x240", "m:320x480", "l:640x960", "xl:1280x1920"]
    /// Items written in one transaction while it is filled.
    private static let batch = 500
    private static let time = Date(timeIntervalSince1970: 1_750_000_000)

    let root: String
    let content: Content
    let blobs: BlobStore
    let index: Index
    /// Bytes of the index when it was opened, its log copied into it.
    let indexBytes: Int

    /// Opens the store that is there, or fills a new one.
    static func at(
        _ root: String, _ content: Content, say: (String) -> Void = { _ in }
    ) async throws -> FilledStore {
        let mark = root + "/filled"
        let found = await FileThreads.run { ProcFile.text(mark) }
        if found == nil {
            say("Filling a store with \(content.entries) entries.")
            let new = try await open(root, content)
            try await new.fill()
            try await FileThreads.run {
                try new.index.close()
                try Data(content.mark.utf8).write(to: URL(fileURLWithPath: mark))
            }
        } else if found != content.mark {
            throw CommandError(
                "\(root) has a store with other entries or another seed; check --keep.")
        }
        return try await open(root, content)
    }

    static func open(
        _ root: String, _ content: Content, _ durability: Durability = .process
    ) async throws -> FilledStore {
        try await FileThreads.run {
            var policy = StorePolicy()
            policy.durability = durability
            return FilledStore(
                root: root, content: content, blobs: try BlobStore(root: root, policy: policy),
                index: try Index(root: root, policy: policy),
                indexBytes: LocalFile.size("\(root)/v2/index/pictures.sqlite"))
        }
    }

    /// Closes the index. Blocks.
    func close() throws { try index.close() }

    private func fill() async throws {
        for number in 0..<content.blobs {
            try Task.checkCancellation()
            _ = try await blobs.put(Self.blob(number, seed: content.seed))
        }
        let items = (content.entries + Self.levels.count - 1) / Self.levels.count
        for first in stride(from: 0, to: items, by: Self.batch) {
            try Task.checkCancellation()
            try await write(first..<min(items, first + Self.batch))
        }
    }

    private func write(_ items: Range<Int>) async throws {
        var originals: [OriginalRecord] = []
        var summaries: [SummaryRecord] = []
        for item in items {
            var random = SplitMix(seed: content.seed ^ UInt64(item) &* 0x9E37_79B9)
            let time = Self.time + Double(item) / 4
            let original = original(item, salt: content.seed)
            var record = OriginalRecord(
                url: url(item), fetchedAt: time, freshUntil: time + 86_400)
            record.digest = original
            record.byteCount = 300_000 + Int(random.next() % 500_000)
            (record.width, record.height, record.format) = (1_400, 2_100, "jpeg")
            record.entityTag = "\"\(String(random.next(), radix: 16))\""
            record.lastModified = "Tue, 15 Nov 1994 12:45:26 GMT"
            originals.append(record)
            var hash: [UInt8] = []
            for _ in 0..<3 { hash += withUnsafeBytes(of: random.next()) { [UInt8]($0) } }
            summaries.append(
                SummaryRecord(
                    original: original, thumbHash: hash, color: "#405060", width: 1_400,
                    height: 2_100))
        }
        let count = Self.levels.count
        let numbers = items.lowerBound * count..<min(items.upperBound * count, content.entries)
        let pictures = numbers.map { rows($0, item: item(of: $0), salt: content.seed) }
        try await index.record(
            originals: originals, summaries: summaries, thumbnails: pictures.map(\.0),
            items: pictures.map(\.1))
    }

    /// Bytes without a pattern, the same for the same number and seed.
    static func blob(_ number: Int, seed: UInt64) -> [UInt8] {
        var random = SplitMix(seed: seed &* 0x1_0000_0001 &+ UInt64(number))
        return [UInt8](unsafeUninitializedCapacity: Self.blobSize) { buffer, filled in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            filled = Self.blobSize / 8 * 8
            for offset in stride(from: 0, to: filled, by: 8) {
                raw.storeBytes(of: random.next(), toByteOffset: offset, as: UInt64.self)
            }
        }
    }

    /// The item of a thumbnail.
    func item(of number: Int) -> String { "bench/show/\(number / Self.levels.count)" }

    func level(of number: Int) -> String { Self.levels[number % Self.levels.count] }

    private func url(_ item: Int) -> String {
        "https://static.example.org/uploads/images/original_untouched/\(item % 500)/\(item).jpg"
    }

    private func original(_ item: Int, salt: UInt64) -> Digest {
        Digest(of: Array("\(salt)/\(item)".utf8))
    }

    /// The key of a thumbnail.
    func key(_ number: Int, salt: UInt64? = nil) -> ThumbnailKey {
        ThumbnailKey(
            original: original(number / Self.levels.count, salt: salt ?? content.seed),
            level: level(of: number), format: "webp", recipe: "webp q80 m4")
    }

    /// The rows of a thumbnail whose blob is the one of its number and this salt.
    func rows(_ number: Int, item: String, salt: UInt64) -> (ThumbnailRecord, ItemRecord) {
        let key = key(number, salt: salt)
        let place = number / Self.levels.count
        let time = Self.time + Double(place) / 4
        let hasBlob = salt == content.seed && number < content.blobs
        let bytes = hasBlob ? Self.blob(number, seed: salt) : Array("\(salt) \(number)".utf8)
        let url = url(place)
        return (
            ThumbnailRecord(
                key,
                PictureFacts(
                    digest: Digest(of: bytes), byteCount: Self.blobSize, width: 320,
                    height: 471, renderedAt: time)),
            ItemRecord(
                item,
                [
                    .init(
                        levels: [key.level], original: key.original, url: url, failure: nil,
                        trace: StoredTrace(bytes: trace(item, url, time)), resolvedAt: time,
                        freshUntil: time + 86_400)
                ])
        )
    }

    /// As the pipeline writes it.
    private func trace(_ item: String, _ url: String, _ time: Date) -> [UInt8] {
        func escaped(_ text: String) -> String { text.replacing("/", with: "\\/") }
        return Array(
            #"""
            {"walkedAt":\#(time.timeIntervalSinceReferenceDate + 0.123456),"steps":[\#
            {"outcome":"followed","label":"catalog \#(escaped(item))","note":"asked"},\#
            {"url":"\#(escaped(url))","note":"200","label":"original","outcome":"chosen"}]}
            """#.utf8)
    }
}
