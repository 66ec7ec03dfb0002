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
