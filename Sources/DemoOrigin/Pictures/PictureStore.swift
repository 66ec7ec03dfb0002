import Imaging
import NIOPosix

/// Files of the image host: drawn when first asked for, on a thread for blocking work, and kept in
/// memory up to a bound.
actor PictureStore {
    private let artist: PosterArtist
    private let maxBytes: Int
    private var drawn: [Key: (files: PictureFiles, lastUse: UInt64)] = [:]
    /// Equal requests wait for one drawing.
    private var inFlight: [Key: Task<PictureFiles, any Error>] = [:]
    private var bytes = 0
    private var clock: UInt64 = 0
    /// How many pictures were drawn, for tests.
    private(set) var drawings = 0

    private struct Key: Hashable {
        var show: Int
        var slot: PictureName.Slot
    }

    init(artist: PosterArtist, maxBytes: Int) {
        self.artist = artist
        self.maxBytes = maxBytes
    }

    /// The file as it should be; original and medium of a picture come from one drawing.
    func file(_ name: PictureName, of show: DemoShow) async throws -> [UInt8] {
        let files = try await files(Key(show: name.show, slot: name.slot), of: show)
        return name.size == .original ? files.original : files.medium
    }

    private func files(_ key: Key, of show: DemoShow) async throws -> PictureFiles {
        clock += 1
        if let found = drawn[key]?.files {
            drawn[key]?.lastUse = clock
            return found
        }
        if let task = inFlight[key] { return try await task.value }
        drawings += 1
        let artist = artist
        let task = Task {
            try await NIOThreadPool.singleton.runIfActive { try artist.files(key.slot, of: show) }
        }
        inFlight[key] = task
        defer { inFlight[key] = nil }
        let files = try await task.value
        drawn[key] = (files, clock)
        bytes += files.count
        evict()
        return files
    }

    /// Drops what was not used for longest until the bound holds.
    private func evict() {
        while bytes > maxBytes,
            let oldest = drawn.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            bytes -= oldest.value.files.count
            drawn[oldest.key] = nil
        }
    }
}

/// Both sizes of one picture, as JPEG; the medium one is empty where there is none.
struct PictureFiles: Sendable, Equatable {
    var original: [UInt8]
    var medium: [UInt8]

    var count: Int { original.count + medium.count }
}
