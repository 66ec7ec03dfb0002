import App
import Console
import Foundation
import Hashing
import Store
import Threads

/// A store whose content follows from a seed: index rows as a catalog of TV shows has them, and
/// blobs of the first of them. Each item has an original and a thumbnail per level.
struct FilledStore: Sendable {
    /// Bytes of a blob: what a thumbnail of level m has on average.
    static let blobSize = 14_000
    static let levels = ["s:160x240", "m:320x480", "l:640x960", "xl:1280x1920"]
    /// Items written in one transaction while it is filled.
    private static let batch = 500
    private static let time = Date(timeIntervalSince1970: 1_750_000_000)

    let root: String
    let seed: UInt64
    /// Thumbnails in the index.
    let entries: Int
    let blobs: BlobStore
    let index: Index
    /// The same store, with promises that hold after a power cut.
    let durable: (blobs: BlobStore, index: Index)
    /// The blobs of the first thumbnails. The others have none.
    let digests: [Digest]
    /// Bytes of the index when it was filled, its log copied into it.
    let indexBytes: Int

    private var items: Int { (entries + Self.levels.count - 1) / Self.levels.count }

    /// Fills a new store below `root`.
    static func fill(
        _ root: String, entries: Int, blobs count: Int, seed: UInt64,
        say: @Sendable (String) -> Void
    ) async throws -> FilledStore {
        let (blobs, filling) = try await FileThreads.run { () throws(StoreError) in
            (try BlobStore(root: root), try Index(root: root))
        }
        var digests: [Digest] = []
        for number in 0..<count {
            try Task.checkCancellation()
            digests.append(try await blobs.put(blob(number, seed: seed)))
        }
        let store = FilledStore(
            root: root, seed: seed, entries: entries, blobs: blobs, index: filling,
            durable: (blobs, filling), digests: digests, indexBytes: 0)
        let started = ContinuousClock.now
        for first in stride(from: 0, to: store.items, by: batch) {
            try Task.checkCancellation()
            try await store.write(first..<min(store.items, first + batch))
        }
        let seconds = started.duration(to: .now) / .seconds(1)
        say("Wrote the rows of \(Int(Double(entries) / seconds)) thumbnails a second.")
        try await FileThreads.run {
            try filling.close()
            try Data(mark(entries, count, seed).utf8).write(
                to: URL(fileURLWithPath: root + markName))
        }
        return try await open(root, entries: entries, digests: digests, seed: seed)
    }

    /// Returns the store that is there, or fills a new one.
    static func at(
        _ root: String, entries: Int, blobs count: Int, seed: UInt64,
        say: @Sendable (String) -> Void
    ) async throws -> FilledStore {
        let found = await FileThreads.run {
            try? String(contentsOfFile: root + markName, encoding: .utf8)
        }
        guard found == mark(entries, count, seed) else {
            if found != nil {
                throw CommandError(
                    "\(root) has a store with other entries or another seed; check --keep.")
            }
            say("Filling a store with \(entries) entries.")
            return try await fill(root, entries: entries, blobs: count, seed: seed, say: say)
        }
        say("Taking the store in \(root).")
        let digests = (0..<count).map { Digest(of: blob($0, seed: seed)) }
        return try await open(root, entries: entries, digests: digests, seed: seed)
    }

    /// The file that says what a filled store holds.
    private static let markName = "/filled"

    private static func mark(_ entries: Int, _ blobs: Int, _ seed: UInt64) -> String {
        "entries \(entries), blobs \(blobs), seed \(seed)\n"
    }

    private static func open(
        _ root: String, entries: Int, digests: [Digest], seed: UInt64
    ) async throws -> FilledStore {
        try await FileThreads.run {
            let path = "\(root)/v2/index/pictures.sqlite"
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            var durable = StorePolicy()
            durable.durability = .power
            return FilledStore(
                root: root, seed: seed, entries: entries, blobs: try BlobStore(root: root),
                index: try Index(root: root),
                durable: (
                    try BlobStore(root: root, policy: durable),
                    try Index(root: root, policy: durable)
                ),
                digests: digests, indexBytes: attributes[.size] as? Int ?? 0)
        }
    }

    private func write(_ items: Range<Int>) async throws {
        var originals: [OriginalRecord] = []
        var summaries: [SummaryRecord] = []
        var thumbnails: [ThumbnailRecord] = []
        var bindings: [BindingRecord] = []
        for item in items {
            var random = SplitMix(seed: seed ^ UInt64(item) &* 0x9E37_79B9)
            let time = Self.time + Double(item) / 4
            let original = original(item, salt: seed)
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
            for level in Self.levels.indices {
                let number = item * Self.levels.count + level
                if number >= entries { break }
                let rows = rows(number, item: Self.item(item), salt: seed)
                thumbnails.append(rows.0)
                bindings.append(rows.1)
            }
        }
        try await index.record(
            originals: originals, summaries: summaries, thumbnails: thumbnails,
            bindings: bindings)
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

    /// Every so many blobs that are loaded, one is compared byte by byte.
    private static let checkEvery = 64

    /// Returns a call that loads a blob and checks it.
    ///
    /// - Parameter number: of the call, which decides how much is checked.
    func load(_ blob: Int, _ number: Int) -> @Sendable () async throws -> Void {
        let digest = digests[blob]
        let expected = number % Self.checkEvery == 0 ? Self.blob(blob, seed: seed) : nil
        return { [blobs] in
            guard let bytes = try await blobs.load(digest) else {
                throw CommandError("A blob is missing.")
            }
            guard bytes.count == Self.blobSize, expected == nil || bytes == expected else {
                throw CommandError("A blob has other bytes than were put.")
            }
        }
    }

    /// Closes all indexes. Blocks.
    func close() throws {
        try durable.index.close()
        try index.close()
    }

    /// The item of a thumbnail.
    func item(of number: Int) -> String { Self.item(number / Self.levels.count) }

    func level(of number: Int) -> String { Self.levels[number % Self.levels.count] }

    private static func item(_ number: Int) -> String { "bench/show/\(number)" }

    private func url(_ item: Int) -> String {
        "https://static.example.org/uploads/images/original_untouched/\(item % 500)/\(item).jpg"
    }

    private func original(_ item: Int, salt: UInt64) -> Digest {
        Digest(of: Array("\(salt)/\(item)".utf8))
    }

    /// The key of a thumbnail.
    func key(_ number: Int) -> ThumbnailKey { key(number, salt: seed) }

    private func key(_ number: Int, salt: UInt64) -> ThumbnailKey {
        ThumbnailKey(
            original: original(number / Self.levels.count, salt: salt), level: level(of: number),
            format: "webp", recipe: "webp q80 m4")
    }

    /// The rows of a thumbnail.
    func rows(_ number: Int, item: String, salt: UInt64) -> (ThumbnailRecord, BindingRecord) {
        let key = key(number, salt: salt)
        let place = number / Self.levels.count
        let time = Self.time + Double(place) / 4
        let digest =
            salt == seed && number < digests.count
            ? digests[number] : Digest(of: Array("\(salt) \(number)".utf8))
        let url = url(place)
        return (
            ThumbnailRecord(
                key: key, digest: digest, byteCount: Self.blobSize, width: 320, height: 471,
                renderedAt: time),
            BindingRecord(
                item: item, level: key.level, original: key.original, url: url, failure: nil,
                trace: trace(item, url, time), resolvedAt: time, freshUntil: time + 86_400)
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
