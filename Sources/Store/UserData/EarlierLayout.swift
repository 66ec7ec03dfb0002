import Glibc

/// What an earlier layout of the cache left: a `v` directory with a lower number than ``StoreLayout/version``.
///
/// ``DatabaseForm/moveEarlierRows(_:)`` copies its favorites, pins, searches and blocks when the user data is
/// first opened. The rest isn't read. It stays for the version that made it, until `cache gc` removes it.
/// Calls block.
struct EarlierLayout: Sendable {
    /// SQLite keeps a lock on this byte of the memory that connections to a database share.
    private static let connectedByte = 128

    /// Such as `/var/cache/vitrine/v1`.
    let path: String

    var userData: String { path + "/index/keepsakes.sqlite" }

    /// Whether a process has one of its databases open.
    var isInUse: Bool {
        ["pictures.sqlite-shm", "keepsakes.sqlite-shm"].contains { name in
            SharedFile.existing("\(path)/index/\(name)")?.isLocked(Self.connectedByte) ?? false
        }
    }

    /// Returns all that are there, the newest first.
    static func all(below root: String) throws(Errno) -> [EarlierLayout] {
        try directoryNames(root).compactMap(StoreLayout.number(of:))
            .filter { $0 < StoreLayout.version }.sorted(by: >)
            .map { EarlierLayout(path: "\(root)/v\($0)") }
    }

    /// Removes all of it, the user data included. Returns what was freed.
    func remove(on disk: FileSystemSpace) throws(Errno) -> DiskUsage { try remove(path, on: disk) }

    /// Removes a file, or a directory with what is in it. Another process may be faster.
    private func remove(_ path: String, on disk: FileSystemSpace) throws(Errno) -> DiskUsage {
        guard let status = try fileStatus(path) else { return DiskUsage() }
        guard status.isDirectory else {
            guard try Errno.unlessMissing({ unlink(path) }) else { return DiskUsage() }
            return DiskUsage(bytes: disk.rounded(Int(status.st_size)), files: 1)
        }
        var freed = DiskUsage()
        for name in try directoryNames(path) { freed += try remove("\(path)/\(name)", on: disk) }
        if try Errno.unlessMissing({ rmdir(path) }) {
            freed += DiskUsage(bytes: disk.block, files: 1)
        }
        return freed
    }
}
