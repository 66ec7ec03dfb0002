import App
import Foundation
import Glibc
import Store

/// A store with entries that follow from a seed: blobs, and index rows that name them.
struct FilledStore: Sendable {
    static let level = "m:320x480"
    /// Rows written in one transaction while it is filled.
    private static let batch = 1_000

    let root: String
    let seed: UInt64
    /// Index rows of each kind.
    let entries: Int
    let blobs: BlobStore
    let index: Index
    /// Of all blobs; rows beyond name them again.
    let digests: [Digest]

    /// Fills a new store below `root`.
    static func fill(
        _ root: String, entries: Int, blobs count: Int, seed: UInt64
    ) async throws -> FilledStore {
        let (blobs, index) = try await FileThreads.run { () throws(StoreError) in
            (try BlobStore(root: root), try Index(root: root))
        }
        var digests: [Digest] = []
        for number in 0..<count {
            try Task.checkCancellation()
            digests.append(try await blobs.put(blob(number, seed: seed)))
        }
        let store = FilledStore(
            root: root, seed: seed, entries: entries, blobs: blobs, index: index,
            digests: digests)
        for first in stride(from: 0, to: entries, by: batch) {
            try Task.checkCancellation()
            let rows = (first..<min(entries, first + batch)).map {
                store.rows($0, item: item($0), salt: seed)
            }
            try await index.record(thumbnails: rows.map(\.0), bindings: rows.map(\.1))
        }
        return store
    }

    /// Bytes without a pattern, the same for the same number and seed.
    static func blob(_ number: Int, seed: UInt64) -> [UInt8] {
        var random = SplitMix(seed: seed &* 0x1_0000_0001 &+ UInt64(number))
        return [UInt8](unsafeUninitializedCapacity: StoreBench.blobSize) { buffer, filled in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            filled = StoreBench.blobSize / 8 * 8
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
    func load(_ blob: Int, _ number: Int) -> StoreCase.Call {
        let digest = digests[blob]
        let expected = number % Self.checkEvery == 0 ? Self.blob(blob, seed: seed) : nil
        return { [blobs] in
            guard let bytes = try await blobs.load(digest) else {
                throw CommandError("A blob is missing.")
            }
            guard bytes.count == StoreBench.blobSize, expected == nil || bytes == expected else {
                throw CommandError("A blob has other bytes than were put.")
            }
        }
    }

    /// Closes the index. Blocks.
    func close() throws { try index.close() }

    static func item(_ number: Int) -> String { "bench/item/\(number)" }

    /// The key of an entry's thumbnail.
    func key(_ number: Int) -> ThumbnailKey { key(number, salt: seed) }

    private func key(_ number: Int, salt: UInt64) -> ThumbnailKey {
        ThumbnailKey(
            original: Digest(of: Array("\(salt)/\(number)".utf8)), level: Self.level,
            format: "webp", recipe: "bench")
    }

    /// The rows of an entry.
    func rows(_ number: Int, item: String, salt: UInt64) -> (ThumbnailRecord, BindingRecord) {
        let key = key(number, salt: salt)
        let time = Date(timeIntervalSince1970: 1_750_000_000)
        return (
            ThumbnailRecord(
                key: key, digest: digests[number % digests.count],
                byteCount: StoreBench.blobSize, width: 320, height: 471, renderedAt: time),
            BindingRecord(
                item: item, level: Self.level, original: key.original,
                url: "https://example.org/\(number).jpg", failure: nil, trace: [],
                resolvedAt: time, freshUntil: time + 86_400)
        )
    }

    /// Asks the kernel to drop all files below a directory from its cache. Blocks.
    static func forget(_ directory: String) {
        sync()
        forgetFiles(directory)
    }

    private static func forgetFiles(_ directory: String) {
        for name in (try? LocalFile.names(in: directory)) ?? [] {
            let path = "\(directory)/\(name)"
            switch LocalFile.kindOfEntry(path) {
            case .directory: forgetFiles(path)
            case .file:
                let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
                guard descriptor >= 0 else { continue }
                posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
                Glibc.close(descriptor)
            case .other: continue
            }
        }
    }
}
