import Synchronization
import Threads

/// The number of purges by all processes, in ``SharedPage``, so that a process notices those of others
/// and drops what it has in memory. If the file can't be used, no purge is noticed. Any thread.
package final class PurgeCount: Sendable {
    private let page: SharedPage
    /// The number of purges that this process knows of.
    private let known = Mutex<UInt64?>(nil)
    private let threads = ThreadPool("store-purges", count: 1)

    package convenience init(of index: Index) { self.init(index.layout) }

    init(_ layout: StoreLayout) {
        page = SharedPage(layout)
        known.withLock { $0 = page.count(SharedPage.purges) }
    }

    /// Counts a purge by this process. Call it after the index has changed.
    package func add() async {
        await threads.run { [self] in
            page.add(to: SharedPage.purges) { before, after in
                // Another process may have purged since the last look, which is noticed then.
                known.withLock { if $0 == before { $0 = after } }
            }
        }
    }

    /// Returns whether another process has purged since the last call.
    package func hasGrown() async -> Bool {
        await threads.run { [self] in
            known.withLock { known in
                guard let count = page.count(SharedPage.purges), count != known else {
                    return false
                }
                defer { known = count }
                return known != nil || count != 0
            }
        }
    }
}

/// How far a cache has followed the purges of a fleet, in ``SharedPage``, for all processes that
/// use it. Calls block for a few microseconds. Any thread.
package struct PurgePosition: Sendable {
    private let page: SharedPage

    package init(of index: Index) { self.init(index.layout) }

    init(_ layout: StoreLayout) { page = SharedPage(layout) }

    /// - Throws: `StoreError` if the cache can't be used.
    package init(root: String) throws(StoreError) {
        self.init(try StoreLayout(opening: root))
    }

    /// Returns the text that was written last; nil if there is none, or if it can't be read.
    package func read() -> String? {
        guard let bytes = page.read(SharedPage.followed),
            let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
        else { return nil }
        return String(validating: bytes[..<end], as: UTF8.self)
    }

    /// Writes one line. If that fails, the purges since the last one are followed again.
    package func write(_ line: String) {
        page.change(SharedPage.followed) { bytes in
            // The rest of a longer line is blank, so that one write is enough.
            let text = Array((line + "\n").utf8).prefix(bytes.count)
            return text + [UInt8](repeating: 0x20, count: bytes.count - text.count)
        }
    }
}
