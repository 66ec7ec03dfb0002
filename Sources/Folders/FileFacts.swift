import CLinux
package import FoundationEssentials
import Glibc

/// Attributes that change with a file's bytes.
package struct FileFacts: Sendable, Equatable {
    package let size: Int
    /// Time of the last change of the bytes, in nanoseconds since 1970.
    package let modified: Int
    private let changed: Int
    private let inode: UInt64
    private let links: UInt64
    /// Whether a symbolic link was followed on the way to it.
    let isBehindLink: Bool

    private static func nanoseconds(_ time: timespec) -> Int {
        time.tv_sec &* 1_000_000_000 &+ time.tv_nsec
    }

    init(_ status: stat, isBehindLink: Bool = false) {
        size = Int(status.st_size)
        modified = Self.nanoseconds(status.st_mtim)
        changed = Self.nanoseconds(status.st_ctim)
        inode = UInt64(status.st_ino)
        links = UInt64(status.st_nlink)
        self.isBehindLink = isBehindLink
    }

    /// A text that is another one after every change of the file.
    package var stamp: String { "\(inode) \(size) \(modified) \(changed)" }

    /// Whether a change from now on would show. File systems take times from a clock that advances
    /// only every few milliseconds.
    package var isSettled: Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        return Self.nanoseconds(now) > max(changed, modified)
    }

    /// Returns whether the file was changed within some seconds before a moment, or after it by another clock.
    package func wasChanged(within seconds: Int, before now: Date) -> Bool {
        let now = Int(now.timeIntervalSince1970)
        return [changed, modified].contains { abs(now - $0 / 1_000_000_000) < seconds }
    }

    /// Returns whether all changes of a file are made by this machine, so that its attributes are never old
    /// and never wait for a server. Blocks.
    package static func areLocal(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return vitrine_is_local(descriptor)
    }

    /// Whether every change of the file is one of its directory's watch. A file with several names is
    /// changed through any of them.
    var isWatchable: Bool { links == 1 && !isBehindLink }
}

/// What a path may lead to.
package enum FileKind {
    /// Returns the kind in words, such as “a named pipe”.
    package static func name(_ mode: UInt32) -> String {
        switch mode & S_IFMT {
        case S_IFREG: "a file"
        case S_IFDIR: "a directory"
        case S_IFIFO: "a named pipe"
        case S_IFSOCK: "a socket"
        case S_IFLNK: "a symbolic link"
        case S_IFBLK, S_IFCHR: "a device"
        default: "something unknown"
        }
    }
}

extension stat {
    var isRegular: Bool { st_mode & S_IFMT == S_IFREG }
    var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
    var isLink: Bool { st_mode & S_IFMT == S_IFLNK }
}

/// A file of a folder that is open for reading; closed with the last reference.
package final class FolderFile: Sendable {
    package let facts: FileFacts
    package let descriptor: CInt

    init(_ descriptor: CInt, _ facts: FileFacts) {
        self.descriptor = descriptor
        self.facts = facts
    }

    deinit { close(descriptor) }

    /// Returns the first bytes, at most `count`.
    package func head(_ count: Int) throws(FolderError) -> [UInt8] { try read(count) }

    /// Returns all bytes, as they are while nothing changes them.
    ///
    /// - Throws: ``FolderError/busy`` if something changed them meanwhile, ``FolderError/tooLarge(limit:)``.
    package func bytes(limit: Int) throws(FolderError) -> [UInt8] {
        guard facts.size <= limit else { throw .tooLarge(limit: limit) }
        let bytes = try read(facts.size)
        guard bytes.count == facts.size, isUnchanged else { throw .busy }
        return bytes
    }

    /// Whether the file is as it was when it was opened.
    package var isUnchanged: Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        return FileFacts(status, isBehindLink: facts.isBehindLink) == facts
    }

    private func read(_ count: Int) throws(FolderError) -> [UInt8] {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = pread(
                    descriptor, buffer.baseAddress.map { $0 + filled }, count - filled,
                    off_t(filled))
                if got > 0 {
                    filled += got
                } else if got == 0 {
                    return
                } else if errno != EINTR {
                    code = errno
                    return
                }
            }
        }
        if code != 0 { throw .unreadable(reason: String(cString: strerror(code))) }
        return bytes
    }
}
