import Glibc

/// A file in `v2` that all processes on a cache share. Calls block for a few microseconds. Any
/// thread.
///
/// Its owner asks ``current(_:at:)`` before each use, because another process, or a user, may have
/// removed or replaced the file.
final class SharedFile: Sendable {
    /// Macros that Swift doesn't import.
    private static let getLock: Int32 = 36
    private static let setLock: Int32 = 37

    private let descriptor: FileDescriptor
    private let path: String
    /// Identifies the file while it is open.
    private let (device, inode): (dev_t, ino_t)

    /// Opens or creates the file.
    convenience init(_ path: String) throws(Errno) {
        try self.init(path, O_CREAT | O_RDWR)
    }

    private init(_ path: String, _ flags: Int32) throws(Errno) {
        self.path = path
        descriptor = try FileDescriptor(opening: path, flags)
        let status = try descriptor.status()
        // A named pipe takes bytes and never gives them back.
        guard status.isRegular else { throw Errno(ENOTSUP) }
        (device, inode) = (status.st_dev, status.st_ino)
    }

    /// Opens the file to read it; nil if it is missing or can't be opened.
    static func existing(_ path: String) -> SharedFile? {
        Errno.optional { () throws(Errno) in try SharedFile(path, O_RDONLY) }
    }

    /// Returns `open` if it still has the path, otherwise the file that has it now, opened to read it; nil if
    /// there is none or it can't be opened.
    static func existing(_ open: SharedFile?, at path: String) -> SharedFile? {
        if let open, open.hasItsPath { return open }
        return existing(path)
    }

    /// Returns `open` if it still has the path, otherwise the file that has it now, created if
    /// missing. Returns nil if that can't be opened.
    static func current(_ open: SharedFile?, at path: String) -> SharedFile? {
        if let open, open.hasItsPath { return open }
        return Errno.optional { () throws(Errno) in try SharedFile(path) }
    }

    private var hasItsPath: Bool {
        let status = Errno.optional { () throws(Errno) in try fileStatus(path) } ?? nil
        return status?.st_ino == inode && status?.st_dev == device
    }

    /// Returns the bytes from an offset, fewer at the end of the file; nil if they can't be read.
    func read(_ count: Int, at offset: Int) -> [UInt8]? {
        Errno.optional { () throws(Errno) in try descriptor.read(count, at: offset) }
    }

    /// Writes bytes. What can't be written is missing in the next read.
    func write(_ bytes: [UInt8], at offset: Int) {
        _ = Errno.optional { () throws(Errno) in try descriptor.write(bytes, at: offset) }
    }

    /// Waits until the bytes are on the disk. A failure is shown by the next read.
    func synchronize() {
        _ = Errno.optional { () throws(Errno) in try descriptor.synchronizeData() }
    }

    /// Takes the lock of the whole file. Returns false if another process has it, with `waiting` after
    /// ``FileDescriptor/longestWait``; nil if the file system has no locks.
    func lock(waiting: Bool) -> Bool? {
        Errno.optional { () throws(Errno) in try descriptor.lock(waiting: waiting) }
    }

    func unlock() { descriptor.unlock() }

    /// Returns whether another open file has a lock on one byte. False if that can't be asked.
    func isLocked(_ byte: Int) -> Bool {
        var range = Self.range(byte, F_WRLCK)
        let isAnswered = Errno.optional { () throws(Errno) in
            try Errno.check { fcntl(descriptor.number, Self.getLock, &range) }
        }
        return isAnswered != nil && range.l_type != F_UNLCK
    }

    private static func range(_ byte: Int, _ type: Int32) -> flock {
        var range = flock()
        range.l_type = Int16(type)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = off_t(byte)
        range.l_len = 1
        return range
    }

    /// Locks one byte. The lock belongs to the open file, not to the process. Returns false if another open
    /// file has a lock against it, with `waiting` after ``FileDescriptor/longestWait``.
    func lock(
        _ byte: Int, isShared: Bool = false, waiting: Bool = false
    ) throws(Errno) -> Bool {
        try setLock(byte, isShared ? F_RDLCK : F_WRLCK, waiting: waiting)
    }

    private func setLock(_ byte: Int, _ type: Int32, waiting: Bool) throws(Errno) -> Bool {
        var range = Self.range(byte, type)
        return try FileDescriptor.locking(waiting: waiting) { () throws(Errno) in
            try Errno.check { fcntl(descriptor.number, Self.setLock, &range) }
        }
    }

    /// Releases the lock of one byte.
    func unlock(_ byte: Int) {
        _ = Errno.optional { () throws(Errno) in try setLock(byte, F_UNLCK, waiting: false) }
    }
}
