import Glibc

/// An open file, closed by its deinitializer.
struct FileDescriptor: ~Copyable {
    /// Readable by the owner only, because originals and searches may be private.
    static let fileMode: mode_t = 0o600

    let number: Int32

    /// Opens a file, or creates it with ``fileMode``. Never follows a symbolic link, waits for a FIFO's
    /// other end or survives `exec`.
    init(opening path: String, _ flags: Int32) throws(Errno) {
        number = try Errno.check {
            open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, Self.fileMode)
        }
    }

    /// Takes over an open descriptor.
    init(owning descriptor: Int32) { number = descriptor }

    /// Opens the same file once more.
    init(duplicating descriptor: Int32) throws(Errno) {
        number = try Errno.check { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
    }

    deinit { close(number) }

    func status() throws(Errno) -> stat {
        var status = stat()
        try Errno.check { fstat(number, &status) }
        return status
    }

    /// Reads `count` bytes from the current offset, fewer at the end of the file.
    func read(_ count: Int) throws(Errno) -> [UInt8] {
        try fill(count) { Glibc.read(number, $0, $1) }
    }

    /// Reads `count` bytes from `offset`, fewer at the end of the file. Any thread, concurrently.
    func read(_ count: Int, at offset: Int) throws(Errno) -> [UInt8] {
        var place = off_t(offset)
        return try fill(count) { start, count in
            let got = pread(number, start, count, place)
            if got > 0 { place += off_t(got) }
            return got
        }
    }

    private func fill(
        _ count: Int, _ call: (UnsafeMutableRawPointer?, Int) -> Int
    ) throws(Errno) -> [UInt8] {
        // All threads share the empty array, and the initializer below would write its count.
        guard count > 0 else { return [] }
        var failure: Errno?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            do throws(Errno) {
                while filled < count {
                    let rest = UnsafeMutableRawBufferPointer(rebasing: raw[filled...])
                    let got = try Errno.check { call(rest.baseAddress, rest.count) }
                    if got == 0 { break }
                    filled += got
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes all bytes.
    func write(_ bytes: ArraySlice<UInt8>) throws(Errno) {
        var rest = bytes
        while !rest.isEmpty {
            let written = try Errno.check {
                rest.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
            }
            rest = rest.dropFirst(written)
        }
    }

    /// Writes all bytes at an offset.
    func write(_ bytes: [UInt8], at offset: Int) throws(Errno) {
        var done = 0
        while done < bytes.count {
            done += try Errno.check {
                bytes.withUnsafeBytes { raw in
                    pwrite(
                        number, raw.baseAddress?.advanced(by: done), raw.count - done,
                        off_t(offset + done))
                }
            }
        }
    }

    /// Takes the advisory lock, which lasts as long as this open file. Returns false if another
    /// process or file descriptor holds it.
    ///
    /// - Parameter waiting: whether it tries for up to `limit`. A process that is stopped holds its locks until it
    ///   continues or ends.
    func lock(waiting: Bool, for limit: Duration = longestWait) throws(Errno) -> Bool {
        try Self.locking(waiting: waiting, for: limit) { () throws(Errno) in
            try Errno.check { flock(number, LOCK_EX | LOCK_NB) }
        }
    }

    func unlock() { flock(number, LOCK_UN) }

    /// Waits until the file, or the entries of the directory, are on the disk.
    func synchronize() throws(Errno) { try Errno.check { fsync(number) } }

    /// Waits until the file's bytes, and its size, are on the disk.
    func synchronizeData() throws(Errno) { try Errno.check { fdatasync(number) } }
}

/// Returns the status of the file at a path, without following a symbolic link; nil if there is
/// none.
func fileStatus(_ path: String) throws(Errno) -> stat? {
    var status = stat()
    return try Errno.unlessMissing { lstat(path, &status) } ? status : nil
}

extension stat {
    var isRegular: Bool { st_mode & S_IFMT == S_IFREG }
    var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
    var isLink: Bool { st_mode & S_IFMT == S_IFLNK }

    /// The kind in words.
    var kind: String {
        switch st_mode & S_IFMT {
        case S_IFREG: "a file"
        case S_IFDIR: "a directory"
        case S_IFIFO: "a named pipe"
        case S_IFSOCK: "a socket"
        case S_IFLNK: "a symbolic link"
        default: "a device"
        }
    }
}

/// Returns the names in a directory, unsorted; none if the directory doesn't exist.
func directoryNames(_ path: String) throws(Errno) -> [String] {
    guard let directory = opendir(path) else {
        if errno == ENOENT { return [] }
        throw Errno(errno)
    }
    defer { closedir(directory) }
    var names: [String] = []
    while true {
        // The end and a failure both give nil.
        errno = 0
        guard let entry = readdir(directory) else {
            if errno == 0 { return names }
            throw Errno(errno)
        }
        let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
            tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != ".." { names.append(name) }
    }
}

extension FileDescriptor {
    /// Time for all attempts to take a lock. Locks are held for microseconds, unless their holder was stopped.
    static let longestWait = Duration.seconds(2)

    /// Calls `take` until it takes a lock. Returns false if another open file has it: at once, or after `limit`.
    static func locking(
        waiting: Bool, for limit: Duration = longestWait, _ take: () throws(Errno) -> Void
    ) throws(Errno) -> Bool {
        let end = ContinuousClock.now + limit
        // Microseconds.
        var pause: UInt32 = 50
        while true {
            do throws(Errno) {
                try take()
                return true
            } catch {
                guard error.code == EAGAIN || error.code == EACCES else { throw error }
                guard waiting, ContinuousClock.now < end else { return false }
                usleep(pause)
                pause = min(2 * pause, 20_000)
            }
        }
    }
}
