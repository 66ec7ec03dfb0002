import Glibc

/// A file that keeps space for transactions that free space: without space for its log, SQLite
/// can't even delete on a full disk. The file is removed before such a transaction and made again
/// afterwards. Calls block. Any thread.
extension StoreLayout {
    /// Enough for the log of a small transaction. Less on a very small disk.
    private static let reserveSize = 4 << 20

    /// Limit of pages in the log, chosen so that the reserve has space for all of them in the
    /// database.
    func reservedLogPages() -> Int {
        do throws(Errno) {
            return max(16, try reserveSpace().size / 4_096 - 24)
        } catch {
            return 1_000
        }
    }

    /// Gives the space to the disk. Returns whether there was some.
    @discardableResult
    func releaseReserve() -> Bool { unlink(reserve) == 0 }

    /// Takes the space if the disk has four times as much. It is written and not only promised,
    /// because not every file system keeps such a promise.
    func takeReserve() {
        do throws(Errno) {
            if let status = try fileStatus(reserve), status.st_size > 0 { return }
            let (size, free) = try reserveSpace()
            if free >= 4 * size { try writeReserve(size) }
        } catch {
            // No space is left to keep.
            releaseReserve()
        }
    }

    /// Returns the size of the reserve and the free space, in bytes.
    private func reserveSpace() throws(Errno) -> (size: Int, free: Int) {
        var status = statvfs()
        try Errno.check { statvfs(index, &status) }
        let block = Int(status.f_frsize)
        return (
            min(Self.reserveSize, Int(status.f_blocks) * block / 8), Int(status.f_bavail) * block
        )
    }

    private func writeReserve(_ size: Int) throws(Errno) {
        let file = try FileDescriptor(opening: reserve, O_CREAT | O_WRONLY | O_TRUNC)
        // Not zeros, which a file system may leave out.
        var state: UInt32 = 1
        let bytes = (0..<(64 << 10)).map { _ -> UInt8 in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
        for _ in 0..<(size / bytes.count) { try file.write(bytes[...]) }
    }
}
