import Synchronization
import Threads

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
/// fetches it again. One process at a time scrubs a cache; the next continues where it ended.
final class Scrub: Sendable {
    private let blobs: BlobStore
    private let orphans: Orphans
    private let done = Mutex(ScrubStatus())
    /// Pause while another process scrubs, and after a failure.
    private static let retryPause = Duration.seconds(60)
    /// Least pause after a first-level directory.
    private static let minPause = Duration.seconds(1)

    init(_ blobs: BlobStore, _ orphans: Orphans) {
        self.blobs = blobs
        self.orphans = orphans
    }

    var status: ScrubStatus { done.withLock { $0 } }

    /// Runs until the task is canceled.
    ///
    /// - Parameter rate: bytes per second.
    func run(rate: Int) async {
        let files = blobs.files
        while !Task.isCancelled {
            do {
                let lock = try await blobs.threads.run { () throws(StoreError) in
                    try ScrubPosition(files.layout)
                }
                if let lock {
                    try await scrub(lock, rate)
                    continue
                }
            } catch {
                // The disk failed, which the store reports, or the task was canceled.
            }
            guard (try? await Task.sleep(for: Self.retryPause)) != nil else { return }
        }
    }

    private func scrub(_ position: ScrubPosition, _ rate: Int) async throws {
        var fan = position.next
        while true {
            try await check(fan: fan, rate: rate)
            try Task.checkCancellation()
            fan = (fan + 1) % ScrubPosition.count
            position.save(fan)
            if fan == 0 { done.withLock { $0.rounds += 1 } }
            // An empty cache is not looked through without end.
            try await Task.sleep(for: Self.minPause)
        }
    }

    /// Checks the blobs of a first-level directory, then mends its count.
    func check(fan: Int, rate: Int) async throws(StoreError) {
        let sweep = Sweep(
            blobs: blobs, orphans: orphans, tasks: [.compare, .orphans, .count, .repair],
            rate: rate)
        try await sweep.fan(fan) { part in
            done.withLock { status in
                status.blobs += part.blobs + part.corrupt.count
                status.bytes += part.bytes
                status.damaged += part.corrupt.count
                status.orphans += part.freed.files
            }
        }
    }
}

/// Where the scrub continues, in ``SharedPage``, locked while a process scrubs.
final class ScrubPosition: Sendable {
    /// First-level directories.
    static let count = 256

    private let page: SharedPage
    /// Has the lock.
    private let file: SharedFile
    let next: Int

    /// Returns nil if another process scrubs. Blocks.
    init?(_ layout: StoreLayout) throws(StoreError) {
        page = SharedPage(layout)
        file = try layout.trying("open", page.path) { [page] () throws(Errno) in
            try SharedFile(page.path)
        }
        guard file.lock(SharedPage.scrub, waiting: false) != false else { return nil }
        let number = page.read(SharedPage.scrub)?.sharedWords[0] ?? 0
        next = Int(truncatingIfNeeded: number % UInt64(Self.count))
    }

    /// Does nothing if the file can't be written: the scrub then begins where it was.
    func save(_ next: Int) {
        file.write([UInt8](sharedWords: [UInt64(next)]), at: SharedPage.scrub.offset)
    }
}
