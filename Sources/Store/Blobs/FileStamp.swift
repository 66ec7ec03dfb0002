import Glibc

/// Attributes that change with a file's content.
struct FileStamp: Sendable, Hashable {
    let device: UInt64
    let inode: UInt64
    let size: Int
    private let modified: Moment
    private let changed: Moment

    private struct Moment: Sendable, Hashable {
        var seconds: Int
        var nanoseconds: Int

        init(_ time: timespec) {
            seconds = time.tv_sec
            nanoseconds = time.tv_nsec
        }
    }

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int(status.st_size)
        modified = Moment(status.st_mtim)
        changed = Moment(status.st_ctim)
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
    var isSettled: Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        return (now.tv_sec, now.tv_nsec) > (changed.seconds, changed.nanoseconds)
    }
}
