import Glibc

/// A blob that is being written. It is deleted with its owner unless it is published.
struct StagingFile: ~Copyable {
    /// `O_TMPFILE` is a macro that Swift doesn't import. This is its value on x86-64 and on ARM.
    private static let oTmpfile = 0o20_000_000 | O_DIRECTORY

    private let descriptor: FileDescriptor
    private let openFiles: String
    /// Its path while it has a name in `staging`.
    private var path: String?

    /// - Parameter place: a directory of the same file system; nil for the one of staging files.
    init(
        in layout: StoreLayout, _ method: StagingMethod, at place: String? = nil
    ) throws(Errno) {
        let directory = place ?? layout.staging
        openFiles = layout.openFiles
        switch method {
        case .anonymous:
            descriptor = try FileDescriptor(opening: directory, Self.oTmpfile | O_WRONLY)
            path = nil
        case .named:
            while true {
                let name = directory + "/" + uniqueName()
                let file = try FileDescriptor(opening: name, O_CREAT | O_EXCL | O_WRONLY)
                // A sweeper may have removed the file before it was locked. Then create another.
                if try file.lock(waiting: false), try file.status().st_nlink > 0 {
                    descriptor = file
                    path = name
                    break
                }
            }
        }
    }

    deinit {
        // Unlink before the descriptor releases the lock. A failure is swept later.
        if let path { unlink(path) }
    }

    /// Appends bytes to the file.
    func write(_ bytes: ArraySlice<UInt8>) throws(Errno) {
        try descriptor.write(bytes)
    }

    /// Waits until the bytes are on the disk.
    func synchronize() throws(Errno) { try descriptor.synchronize() }

    enum Publication {
        case published
        /// The name is taken.
        case occupied
        case noDirectory
    }

    /// Publishes the complete file under its name, atomically.
    ///
    /// A named file replaces a regular file of that name, which as a blob has the same content.
    mutating func publish(as target: String) throws(Errno) -> Publication {
        do throws(Errno) {
            try attempt(target)
            return .published
        } catch {
            switch error.code {
            case EEXIST, EISDIR: return .occupied
            // The file is there, so its directory was not, even if another process has made it since.
            case ENOENT where try fileStatus(source) != nil: return .noDirectory
            default: throw error
            }
        }
    }

    /// Where the file is found until it is published.
    private var source: String { path ?? "\(openFiles)/\(descriptor.number)" }

    private mutating func attempt(_ target: String) throws(Errno) {
        if let path {
            try Errno.check { rename(path, target) }
            self.path = nil
        } else {
            // Links through /proc, because AT_EMPTY_PATH needs a privilege.
            try Errno.check {
                linkat(AT_FDCWD, source, AT_FDCWD, target, AT_SYMLINK_FOLLOW)
            }
        }
    }

    /// Returns whether the error means that kernel, filesystem or sandbox don't support anonymous
    /// files.
    static func isUnsupported(_ error: Errno) -> Bool {
        // ENOENT: /proc is missing. EISDIR: the kernel doesn't know O_TMPFILE.
        [EOPNOTSUPP, EISDIR, EINVAL, ENOSYS, ENOENT, EPERM, EXDEV, ELOOP].contains(error.code)
    }
}

/// Returns a unique name of time, process id and a random number. Names from one clock sort by
/// creation time.
func uniqueName() -> String {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    // The number of digits stays the same until the year 2286.
    let nanoseconds = String(now.tv_sec * 1_000_000_000 + now.tv_nsec)
    let chance = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    return "\(nanoseconds)-\(getpid())-\(chance)"
}

/// How a blob stays invisible until it is complete.
package enum StagingMethod: Sendable {
    /// `O_TMPFILE`, then `linkat`. A crash leaves nothing behind.
    case anonymous
    /// A locked file in `staging`, then `rename`, for filesystems without `O_TMPFILE`.
    case named
}

extension StagingFile {
    /// Returns the paths of files in `staging` that dead processes left behind. With `removing` it deletes
    /// them.
    ///
    /// A live writer holds a lock on its file, so several processes can share the directory.
    static func strays(in layout: StoreLayout, removing: Bool) throws(StoreError) -> [String] {
        var strays: [String] = []
        for name in try layout.names(in: layout.staging).sorted() {
            let path = layout.staging + "/" + name
            let isStray = try layout.trying("sweep", path) { () throws(Errno) in
                try sweep(path, removing: removing)
            }
            if isStray { strays.append(path) }
        }
        return strays
    }

    private static func sweep(_ path: String, removing: Bool) throws(Errno) -> Bool {
        guard let status = try fileStatus(path), status.isRegular else { return false }
        do throws(Errno) {
            let file = try FileDescriptor(opening: path, O_RDONLY)
            guard try file.lock(waiting: false) else { return false }
            if removing { try Errno.check { unlink(path) } }
            return true
        } catch {
            // Another process has published or swept it meanwhile.
            if error.code == ENOENT { return false }
            // It is another account's.
            if error.code == EACCES || error.code == EPERM { return false }
            // Without locks we can't know whether a live process owns the file, so it stays.
            if error.isMissingLocks { return false }
            throw error
        }
    }
}
