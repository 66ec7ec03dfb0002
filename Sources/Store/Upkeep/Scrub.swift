import Glibc
import Synchronization

/// What the scrub has done since the start.
package struct ScrubStatus: Sendable, Equatable {
    /// Blobs and bytes that were read and checked.
    package var blobs = 0
    package var bytes = 0
    /// Blobs that did not match their name, and went to the quarantine.
    package var damaged = 0
    /// Blobs that no row referred to.
    package var orphans = 0
    /// Times that everything was checked.
    package var rounds = 0
}

/// Reads all blobs again and again at a low rate: damaged ones go to the quarantine, those that no
/// row refers to are removed, and counts are mended. The next request for a picture renders or
/// fetches it again. One process at a time scrubs a cache; the next goes on where it ended.
struct Scrub: Sendable {
    private let upkeep: Upkeep
    /// Bytes per second.
    private let rate: Int
    /// Pause while another process scrubs, and after a failure.
    private static let retryPause = Duration.seconds(60)
    /// Least pause after a first-level directory.
    private static let minPause = Duration.seconds(1)
    /// What a blob counts besides its bytes, for opening it.
    private static let overhead = 4_096

    init(_ upkeep: Upkeep, rate: Int) {
        self.upkeep = upkeep
        self.rate = rate
    }

    /// Runs until the task is canceled.
    func run() async {
        let files = upkeep.blobs.files
        while !Task.isCancelled {
            do {
                let lock = try await upkeep.blobs.threads.run { () throws(StoreError) in
                    try ScrubPosition(files.layout)
                }
                if let lock {
                    try await scrub(lock)
                    continue
                }
            } catch {
                // The disk failed, which the store reports, or the task was canceled.
            }
            guard (try? await Task.sleep(for: Self.retryPause)) != nil else { return }
        }
    }

    private func scrub(_ position: ScrubPosition) async throws {
        var fan = position.next
        while true {
            try await check(fan: fan)
            fan = (fan + 1) % ScrubPosition.count
            try position.save(fan)
            if fan == 0 { upkeep.scrubbed.withLock { $0.rounds += 1 } }
            // An empty cache is not looked through without end.
            try await Task.sleep(for: Self.minPause)
        }
    }

    /// Checks the blobs of a first-level directory, then mends its count.
    func check(fan: Int) async throws {
        let files = upkeep.blobs.files
        let directories = try await upkeep.blobs.threads.run { () throws(StoreError) in
            try files.layout.directories(inFan: fan)
        }
        for directory in directories {
            let bytes = try await check(directory: directory)
            if bytes > 0 { try await pause(bytes) }
        }
        _ = try await upkeep.blobs.threads.run { () throws(StoreError) in
            try files.space.count(fan: fan)
        }
    }

    private func pause(_ bytes: Int) async throws {
        try await Task.sleep(for: .seconds(Double(bytes) / Double(rate)))
    }

    /// Checks the blobs of one second-level directory. Returns the bytes that were read since the
    /// last pause.
    private func check(directory path: String) async throws -> Int {
        let blobs = upkeep.blobs
        let layout = blobs.files.layout
        let sample = BlobSample(layout, start: 0)
        let found = try await blobs.threads.run { () throws(StoreError) in
            try sample.blobs(path)
        }
        if found.isEmpty { return 0 }
        var total = 0
        for blob in found {
            try Task.checkCancellation()
            let isSound = try await blobs.isSound(blob.digest)
            upkeep.scrubbed.withLock { status in
                status.blobs += 1
                status.bytes += blob.byteCount
                if !isSound { status.damaged += 1 }
            }
            total += blob.byteCount + Self.overhead
            // Large blobs must not make a burst.
            if total >= rate {
                try await pause(total)
                total = 0
            }
        }
        let orphans = try await upkeep.removeOrphans(among: found)
        upkeep.scrubbed.withLock { $0.orphans += orphans.files }
        return total
    }
}

/// Where the scrub goes on, in `v1/scrub`, locked while a process scrubs.
final class ScrubPosition: Sendable {
    /// First-level directories.
    static let count = 256

    private let file: FileDescriptor
    private let layout: StoreLayout
    let next: Int

    /// Returns nil if another process scrubs. Blocks.
    init?(_ layout: StoreLayout) throws(StoreError) {
        self.layout = layout
        var next: Int?
        let file = try layout.trying("lock", layout.scrub) { () throws(Errno) -> FileDescriptor in
            let file = try FileDescriptor(
                opening: layout.scrub, O_CREAT | O_RDWR, mode: StoreLayout.fileMode)
            guard try file.lock(waiting: false) else { return file }
            let text = String(decoding: try file.read(8, at: 0), as: UTF8.self)
            next = Int(text.prefix { $0.isHexDigit }, radix: 16) ?? 0
            return file
        }
        guard let next else { return nil }
        self.file = file
        self.next = next % Self.count
    }

    func save(_ next: Int) throws(StoreError) {
        let text = String(next, radix: 16)
        let padded = String(repeating: "0", count: 8 - text.count) + text
        try layout.trying("write", layout.scrub) { () throws(Errno) in
            try file.write(Array(padded.utf8), at: 0)
        }
    }
}
