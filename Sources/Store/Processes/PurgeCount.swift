import Glibc
import Synchronization
import Threads

/// The number of purges by all processes, in `v2/purges`, so that a process notices those of others
/// and drops what it has in memory. If the file can't be used, no purge is noticed. Any thread.
package final class PurgeCount: Sendable {
    private let layout: StoreLayout
    /// The number of purges that this process knows of.
    private let known = Mutex<UInt64?>(nil)
    private let threads = ThreadPool("store-purges", count: 1)

    package convenience init(of index: Index) { self.init(index.layout) }

    init(_ layout: StoreLayout) {
        self.layout = layout
        known.withLock { $0 = Self.read(layout) }
    }

    /// Counts a purge by this process. Call it after the index has changed.
    package func add() async {
        await threads.run { [self] in
            guard let file = SharedFile.current(nil, at: layout.purges) else { return }
            // The lock goes with the file.
            _ = file.lock(waiting: true)
            guard let bytes = file.read(8, at: 0) else { return }
            let count = Self.number(bytes)
            let next = count == 0 ? Self.first : count &+ 1
            file.write(withUnsafeBytes(of: next.littleEndian) { Array($0) }, at: 0)
            // Another process may have purged since the last look, which is noticed then.
            known.withLock { if $0 == count { $0 = next } }
        }
    }

    /// Returns whether another process has purged since the last call.
    package func hasGrown() async -> Bool {
        await threads.run { [self] in
            known.withLock { known in
                guard let count = Self.read(layout), count != known else { return false }
                defer { known = count }
                return known != nil || count != 0
            }
        }
    }

    /// The first number of a new file. The numbers of an earlier one were others.
    private static var first: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec) | 1
    }

    /// Returns nil if the file can't be read; 0 if it is missing.
    private static func read(_ layout: StoreLayout) -> UInt64? {
        do throws(Errno) {
            return number(try FileDescriptor(opening: layout.purges, O_RDONLY).read(8, at: 0))
        } catch {
            return error.code == ENOENT ? 0 : nil
        }
    }

    /// An incomplete number counts as 0.
    private static func number(_ bytes: [UInt8]) -> UInt64 {
        bytes.count < 8 ? 0 : bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
