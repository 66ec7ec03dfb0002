import Glibc
import Memory

/// What a file system has and what is free of it.
struct FileSystemSpace: Sendable, Equatable {
    /// The bytes that a file takes at least.
    var block: Int
    var bytes: Int
    /// Free for programs without privileges.
    var freeBytes: Int
    /// 0 if the number of files is not fixed.
    var files: Int
    var freeFiles: Int
}

extension FileSystemSpace {
    /// Reads the space of the file system of a path. Blocks.
    init(of path: String) throws(Errno) {
        var status = statvfs()
        try Errno.check { statvfs(path, &status) }
        block = max(1, Int(clamping: status.f_frsize))
        bytes = Self.product(status.f_blocks, status.f_frsize)
        freeBytes = Self.product(status.f_bavail, status.f_frsize)
        files = Int(clamping: status.f_files)
        freeFiles = Int(clamping: status.f_favail)
    }

    /// Returns the bytes that a file of this size takes.
    func rounded(_ byteCount: Int) -> Int {
        // A damaged file may claim any size.
        (min(max(0, byteCount), 1 << 50) + block - 1) / block * block
    }

    /// Returns what a file takes, or a directory with what is in it. What of that can't be looked at counts as
    /// nothing, so that it keeps nothing else from being counted. Blocks.
    func usage(of path: String, depth: Int) throws(Errno) -> DiskUsage {
        let found = Errno.optional { () throws(Errno) in try fileStatus(path) } ?? nil
        guard let status = found else { return DiskUsage() }
        guard status.isDirectory else {
            return DiskUsage(bytes: rounded(Int(status.st_size)), files: 1)
        }
        // A directory takes a block, more on some file systems if it is large.
        var sum = DiskUsage(bytes: block, files: 1)
        guard depth > 0 else { return sum }
        let names: [String]
        do throws(Errno) {
            names = try directoryNames(path)
        } catch {
            // No more files may be open now.
            if error.code == EMFILE || error.code == ENFILE { throw error }
            return sum
        }
        for name in names {
            sum += try usage(of: path + "/" + name, depth: depth - 1)
        }
        return sum
    }

    /// Some file systems report the largest numbers there are.
    private static func product(_ count: UInt, _ size: UInt) -> Int {
        let (product, isTooLarge) = count.multipliedReportingOverflow(by: size)
        return isTooLarge ? Int.max / 2 : min(Int(clamping: product), Int.max / 2)
    }
}
