import Glibc

/// Attributes that change with a file's content.
package struct FileStamp: Sendable, Hashable, BitwiseCopyable {
    let device: UInt64
    let inode: UInt64
    let size: Int
    // Nanoseconds since 1970, which reach to the year 2262.
    private let modified: Int
    private let changed: Int

    private static func nanoseconds(_ time: timespec) -> Int {
        time.tv_sec &* 1_000_000_000 &+ time.tv_nsec
    }

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int(status.st_size)
        modified = Self.nanoseconds(status.st_mtim)
        changed = Self.nanoseconds(status.st_ctim)
    }

    /// Returns whether an open file is unchanged. Its removal changes its directory, not its bytes.
    func describes(_ status: stat) -> Bool {
        let now = FileStamp(status)
        if now == self { return true }
        return status.st_nlink == 0 && now.inode == inode && now.device == device
            && now.size == size && now.modified == modified
    }

    /// Whether a change from now on would show in the times. Filesystems take them from a clock
    /// that advances only every few milliseconds.
    var isSettled: Bool { isSettled(at: Self.now()) }

    /// - Parameter now: of ``now()``.
    func isSettled(at now: Int) -> Bool { now > changed }

    /// Nanoseconds since 1970 of the clock that file systems use.
    static func now() -> Int {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        return nanoseconds(now)
    }
}
