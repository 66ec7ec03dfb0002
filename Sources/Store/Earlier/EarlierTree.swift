import Glibc

/// What version 0.9 left in a cache's directory: `v1`, with an index that this version doesn't read.
///
/// Favorites, pins and searches are copied from it when the user data is first opened. The rest counts for
/// the budget, makes room before anything else does, and goes with `cache gc`. As long as it is there,
/// version 0.9 can be installed again. Calls block.
struct EarlierTree: Sendable {
    /// SQLite keeps a lock on this byte of the memory that connections to a database share.
    private static let connectedByte = 128
    /// Directories above a blob.
    private static let depth = 4

    let root: String

    var path: String { root + "/v1" }
    private var blobs: String { path + "/blobs" }
    private var index: String { path + "/index" }
    /// Favorites, pins and searches.
    var userData: String { index + "/keepsakes.sqlite" }

    var isThere: Bool { access(path, F_OK) == 0 }

    /// Whether a process has one of its databases open.
    var isInUse: Bool {
        ["pictures.sqlite-shm", "keepsakes.sqlite-shm"].contains { name in
            SharedFile.existing("\(index)/\(name)")?.isLocked(Self.connectedByte) ?? false
        }
    }

    /// Returns what it takes on disk: as version 0.9 counted it, or counted now if that can't be read.
    func usage(on disk: FileSystemSpace) throws(Errno) -> DiskUsage {
        if let bytes = SharedFile.existing(path + "/ledger")?.read(LedgerCounts.byteCount, at: 0) {
            let counts = LedgerCounts(bytes: bytes)
            if counts.uncounted == [.earlier] { return counts.total }
        }
        return try disk.usage(of: path, depth: Self.depth)
    }

    /// Removes blobs until that much is free. With the last of them everything else goes but the user data.
    /// Returns what was freed. Several processes can do so at once.
    func free(_ need: DiskUsage, on disk: FileSystemSpace) throws(Errno) -> DiskUsage {
        var freed = DiskUsage()
        for fan in try content(of: blobs) {
            for directory in try content(of: fan) {
                for file in try content(of: directory) {
                    freed += try removeAll(file, on: disk)
                    if freed.covers(need) { return freed }
                }
                freed += removeIfEmpty(directory, on: disk)
            }
            freed += removeIfEmpty(fan, on: disk)
        }
        let user = [userData, userData + "-wal", userData + "-shm"]
        for place in try content(of: path) where place != index {
            freed += try removeAll(place, on: disk)
        }
        for file in try content(of: index) where !user.contains(file) {
            freed += try removeAll(file, on: disk)
        }
        return freed
    }

    /// Removes all of it, the user data included. Returns what was freed.
    func removeAll(on disk: FileSystemSpace) throws(Errno) -> DiskUsage {
        try removeAll(path, on: disk)
    }

    /// Returns the paths in a directory; none if it is missing or a file.
    private func content(of directory: String) throws(Errno) -> [String] {
        do throws(Errno) {
            return try directoryNames(directory).map { "\(directory)/\($0)" }
        } catch {
            if error.code == ENOTDIR { return [] }
            throw error
        }
    }

    /// Removes a file, or a directory with what is in it. Another process may be faster.
    private func removeAll(_ path: String, on disk: FileSystemSpace) throws(Errno) -> DiskUsage {
        guard let status = try fileStatus(path) else { return DiskUsage() }
        var freed = DiskUsage()
        if status.isDirectory {
            for place in try content(of: path) { freed += try removeAll(place, on: disk) }
            freed += removeIfEmpty(path, on: disk)
            return freed
        }
        guard try Errno.unlessMissing({ unlink(path) }) else { return freed }
        return DiskUsage(bytes: disk.rounded(Int(status.st_size)), files: 1)
    }

    private func removeIfEmpty(_ directory: String, on disk: FileSystemSpace) -> DiskUsage {
        rmdir(directory) == 0 ? DiskUsage(bytes: disk.block, files: 1) : DiskUsage()
    }
}
