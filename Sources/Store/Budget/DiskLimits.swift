import Glibc

/// How much of the disk the cache may use. Everything below the cache directory counts.
package struct DiskLimits: Sendable, Equatable {
    /// Bytes; nil for a tenth of the file system.
    package var bytes: Int?
    /// Files; nil for a tenth of the file system's inodes.
    package var files: Int?
    /// Bytes of the file system that stay free; nil for 5 %, at most 2 GiB.
    package var minFree: Int?
    /// The largest part of the bytes that pinned thumbnails may take: the rest keeps the cache a cache.
    package var maxPinned = 0.5

    /// Limits for commands that only look at a cache, and for tests.
    package static let none = DiskLimits(bytes: .max, files: .max, minFree: 0)

    package init(bytes: Int? = nil, files: Int? = nil, minFree: Int? = nil) {
        self.bytes = bytes
        self.files = files
        self.minFree = minFree
    }

    /// The share of the file system that the cache may use by default.
    private static let share = 10
    /// On a small file system the index alone takes a tenth.
    private static let minBytes = 64 << 20
    private static let minFreeShare = 20
    private static let maxMinFree = 2 << 30

    /// About as many blobs fit, if they are thumbnails.
    var expectedBlobs: Int { min(files ?? .max, (bytes ?? 64 << 30) / 16_384) }

    /// Returns the limits with which a cache in a directory begins: numbers in place of what depends on its file
    /// system. Returns nil if that can't be asked. A file system without a fixed number of files leaves
    /// ``files`` nil. Blocks.
    package func begun(in directory: String) -> DiskLimits? {
        var path = directory
        // The cache is made in the first directory above it that is there.
        while access(path, F_OK) != 0, path != "/", path != "." {
            path = parent(of: path)
        }
        guard let disk = Errno.optional({ () throws(Errno) in try FileSystemSpace(of: path) })
        else { return nil }
        var limits = self
        limits.bytes = wanted(on: disk)
        limits.files = files ?? (disk.files > 0 ? disk.files / Self.share : nil)
        limits.minFree = minFree ?? standardMinFree(on: disk)
        return limits
    }

    private func parent(of path: String) -> String {
        let trimmed = path.last == "/" ? path.dropLast() : path[...]
        guard let slash = trimmed.lastIndex(of: "/") else { return "." }
        return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
    }

    private func wanted(on disk: FileSystemSpace) -> Int {
        bytes ?? max(disk.bytes / Self.share, Self.minBytes)
    }

    private func standardMinFree(on disk: FileSystemSpace) -> Int {
        min(disk.bytes / Self.minFreeShare, Self.maxMinFree)
    }

    /// Returns the limits in force. A full file system makes them smaller, so that the cache gives
    /// way to other programs.
    ///
    /// - Parameter usage: of the cache.
    func resolved(on disk: FileSystemSpace, usage: DiskUsage) -> ResolvedLimits {
        let minFree = self.minFree ?? standardMinFree(on: disk)
        let ceiling = max(0, usage.bytes + disk.freeBytes - minFree)
        var files = self.files ?? .max
        // Some file systems have no fixed number of inodes, and say 0.
        if disk.files > 0 {
            files = min(self.files ?? disk.files / Self.share, usage.files + disk.freeFiles)
        }
        let wanted = self.wanted(on: disk)
        return ResolvedLimits(
            bytes: min(wanted, ceiling), files: max(0, files),
            isCrowded: bytes != .max && ceiling < wanted / 2)
    }
}

/// Limits as numbers.
struct ResolvedLimits: Sendable, Equatable {
    /// Eviction ends this far below the limits, so that it runs seldom.
    private static let slack = 16
    /// Largest part that is kept free for the index and for directories, whose growth is measured
    /// after the fact.
    private static let maxHeadroom = 16 << 20
    private static let maxFileHeadroom = 64

    var bytes: Int
    var files: Int
    /// Whether other files leave the cache less than half of what it may take.
    var isCrowded = false

    /// What blobs may use together with the rest.
    var admitted: Int { bytes - min(bytes / 8, Self.maxHeadroom) }
    var admittedFiles: Int { files - min(files / 8, Self.maxFileHeadroom) }

    /// Returns whether the usage leaves room for blobs.
    func admits(_ added: DiskUsage, to usage: DiskUsage) -> Bool {
        usage.bytes + added.bytes <= admitted && usage.files + added.files <= admittedFiles
    }

    /// Returns what must be freed in the background; nil below the upper mark.
    func excess(of usage: DiskUsage) -> DiskUsage? {
        let mark = ResolvedLimits(
            bytes: admitted - admitted / 32, files: admittedFiles - admittedFiles / 32)
        if usage.bytes <= mark.bytes, usage.files <= mark.files { return nil }
        return need(DiskUsage(files: 1), of: usage)
    }

    /// Returns what must be freed for blobs, down to the lower mark.
    func need(_ added: DiskUsage, of usage: DiskUsage) -> DiskUsage {
        let low = ResolvedLimits(
            bytes: admitted - admitted / Self.slack,
            files: admittedFiles - admittedFiles / Self.slack)
        return DiskUsage(
            bytes: max(0, usage.bytes + added.bytes - low.bytes),
            files: max(0, usage.files + added.files - low.files))
    }
}
