import Glibc

/// A file that keeps space for transactions that free space: without space for its log, SQLite
/// can't even delete on a full disk. The file is removed before such a transaction and made again
/// afterwards. Calls block. Any thread.
struct IndexReserve: Sendable {
    /// Enough for the log of a small transaction. Less on a very small disk.
    private static let size = 4 << 20

    let layout: StoreLayout

    /// Limit of pages in the log, chosen so that the reserve has space for all of them in the
    /// database.
    func logPages() -> Int {
        do throws(Errno) {
            return max(16, try space().size / 4_096 - 24)
        } catch {
            return 1_000
        }
    }

    /// Gives the space to the disk. Returns whether there was some.
    @discardableResult
    func release() -> Bool { unlink(layout.reserve) == 0 }

    /// Takes the space if the disk has four times as much. It is written and not only promised,
    /// because not every file system keeps such a promise.
    func take() {
        do throws(Errno) {
            if let status = try fileStatus(layout.reserve), status.st_size > 0 { return }
            let (size, free) = try space()
            if free >= 4 * size { try write(size) }
        } catch {
            // No space is left to keep.
            release()
        }
    }

    /// Returns the size of the reserve and the free space, in bytes.
    private func space() throws(Errno) -> (size: Int, free: Int) {
        var status = statvfs()
        try Errno.check { statvfs(layout.index, &status) }
        let block = Int(status.f_frsize)
        return (min(Self.size, Int(status.f_blocks) * block / 8), Int(status.f_bavail) * block)
    }

    private func write(_ size: Int) throws(Errno) {
        let file = try FileDescriptor(opening: layout.reserve, O_CREAT | O_WRONLY | O_TRUNC)
        // Not zeros, which a file system may leave out.
        var state: UInt32 = 1
        let bytes = (0..<(64 << 10)).map { _ -> UInt8 in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
        for _ in 0..<(size / bytes.count) { try file.write(bytes[...]) }
    }
}
