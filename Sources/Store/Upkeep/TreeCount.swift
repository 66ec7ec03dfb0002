import Glibc

/// Counts what is on disk, for the ledger. Calls block.
struct TreeCount: Sendable {
    private let space: DiskSpace
    private let quarantine: Quarantine

    init(_ files: BlobFiles) {
        space = files.space
        quarantine = files.quarantine
    }

    /// Replaces the count of a place with what is found there. Leaves it as it is if the place
    /// changes all the time.
    func recount(_ place: Ledger.Place) throws(StoreError) {
        switch place {
        case .upkeep:
            space.forgetSpace()
            _ = space.state
        case .quarantine: try quarantine.trim()
        case .fan(let fan): try space.count(fan: fan)
        }
    }

    /// Returns what a file takes, or a directory with what is in it.
    static func usage(
        of path: String, depth: Int, on disk: FileSystemSpace
    ) throws(Errno) -> DiskUsage {
        guard let status = try fileStatus(path) else { return DiskUsage() }
        guard status.isDirectory else {
            return DiskUsage(bytes: disk.rounded(Int(status.st_size)), files: 1)
        }
        // A directory takes a block, more on some file systems if it is large.
        var sum = DiskUsage(bytes: disk.block, files: 1)
        guard depth > 0 else { return sum }
        for name in try directoryNames(path) {
            sum += try usage(of: path + "/" + name, depth: depth - 1, on: disk)
        }
        return sum
    }
}
