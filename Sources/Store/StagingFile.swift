import Glibc

/// How a blob is kept out of sight until it is whole.
package enum StagingMethod: Sendable {
    /// `O_TMPFILE`, then `linkat`: no crash can leave anything behind.
    case anonymous
    /// A locked file in `staging`, then `rename`: for filesystems without the other.
    case named
}

/// A blob while it is written: gone with its owner unless published.
struct StagingFile: ~Copyable {
    /// `O_TMPFILE`, a macro that Swift doesn't import; this number on x86-64 and on ARM.
    private static let oTmpfile = 0o20_000_000 | O_DIRECTORY

    private let descriptor: FileDescriptor
    private let openFiles: String
    /// Where it lies as long as it has a name in `staging`.
    private var path: String?

    init(in layout: StoreLayout, _ method: StagingMethod) throws(Errno) {
        openFiles = layout.openFiles
        switch method {
        case .anonymous:
            descriptor = try FileDescriptor(
                opening: layout.staging, Self.oTmpfile | O_WRONLY, mode: StoreLayout.fileMode)
            path = nil
        case .named:
            while true {
                let name = layout.staging + "/" + uniqueName()
                let file = try FileDescriptor(
                    opening: name, O_CREAT | O_EXCL | O_WRONLY, mode: StoreLayout.fileMode)
                // A sweeper may have been there between creation and lock: then take another.
                if try file.lock(waiting: false), try file.status().st_nlink > 0 {
                    descriptor = file
                    path = name
                    break
                }
            }
        }
    }

    deinit {
        // Before the lock goes with the descriptor; what fails here is swept later.
        if let path { unlink(path) }
    }

    /// Appends.
    func write(_ bytes: ArraySlice<UInt8>) throws(Errno) {
        try descriptor.write(bytes)
    }

    /// Gives the file its name, at once and whole; `false` where something else has that name. (A
    /// named file replaces a regular file there, which as a blob is its equal.)
    mutating func publish(as target: String) throws(Errno) -> Bool {
        do throws(Errno) {
            do throws(Errno) {
                try attempt(target)
            } catch {
                // The fan-out directories are made when they are needed first.
                guard error.code == ENOENT, let slash = target.lastIndex(of: "/") else {
                    throw error
                }
                try StoreLayout.makeDirectories(String(target[..<slash]))
                try attempt(target)
            }
            return true
        } catch {
            if error.code == EEXIST || error.code == EISDIR { return false }
            throw error
        }
    }

    private mutating func attempt(_ target: String) throws(Errno) {
        if let path {
            try Errno.check { rename(path, target) }
            self.path = nil
        } else {
            // By way of /proc, because AT_EMPTY_PATH wants a privilege.
            try Errno.check {
                linkat(
                    AT_FDCWD, "\(openFiles)/\(descriptor.number)", AT_FDCWD, target,
                    AT_SYMLINK_FOLLOW)
            }
        }
    }

    /// Whether an anonymous file failed for want of support by kernel, filesystem or sandbox.
    static func isUnsupported(_ error: Errno) -> Bool {
        // ENOENT: there is no /proc. EISDIR: the kernel doesn't know O_TMPFILE.
        [EOPNOTSUPP, EISDIR, EINVAL, ENOSYS, ENOENT, EPERM, EXDEV, ELOOP].contains(error.code)
    }
}

/// A name that nothing has had: time, process and chance. Names sort as they were made, within one
/// clock.
func uniqueName() -> String {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    // As many digits until the year 2286.
    let nanoseconds = String(now.tv_sec * 1_000_000_000 + now.tv_nsec)
    let chance = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    return "\(nanoseconds)-\(getpid())-\(chance)"
}
