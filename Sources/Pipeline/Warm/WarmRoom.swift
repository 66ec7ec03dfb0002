import Store

/// Whether the rest of a run fits into the cache. Pure.
struct WarmRoom {
    /// Pictures by which the rest is estimated.
    static let sample = 20
    /// Items under way in a run that doesn't fit. Those that end after the cache is full cost others.
    static let mostUnderWay = 8
    /// If more is free for each item, in bytes and files, the run doesn't wait for its first pictures.
    private static let ample = DiskUsage(bytes: 4 << 20, files: 64)
    /// A file takes whole blocks: half a block of 4 KiB more than its size on average.
    static let lostBytes = 2_048

    /// What is free of the cache's limits.
    var free: DiskUsage
    /// What eviction could free besides the pictures of this run.
    var older: DiskUsage

    /// - Parameter made: what the run has stored.
    init(_ status: UpkeepStatus, made: DiskUsage) {
        free = status.free
        var kept = made
        kept += DiskUsage(bytes: status.pinnedBytes)
        older = DiskUsage(
            bytes: max(0, status.usage.bytes - kept.bytes),
            files: max(0, status.usage.files - kept.files))
    }

    /// Returns whether items fit, however large their pictures are.
    func isAmple(for items: Int) -> Bool {
        free.bytes / Self.ample.bytes >= items && free.files / Self.ample.files >= items
    }

    /// Returns what items take, by what `pictures` took; nil if that fits.
    func shortage(of items: Int, by pictures: Int, _ made: DiskUsage) -> WarmShortage? {
        guard pictures > 0, items > 0 else { return nil }
        let share = Double(items) / Double(pictures)
        let bytes = Self.whole(Double(made.bytes + made.files * Self.lostBytes) * share)
        let files = Self.whole(Double(made.files) * share)
        return shortage(of: items, DiskUsage(bytes: bytes, files: files), .firstPictures)
    }

    /// Returns what is missing for items that take `usage`; nil if they fit.
    func shortage(
        of items: Int, _ usage: DiskUsage, _ basis: WarmShortage.Basis
    ) -> WarmShortage? {
        if usage.bytes <= free.bytes, usage.files <= free.files { return nil }
        var room = free
        room += older
        return WarmShortage(
            items: items, bytes: usage.bytes, files: usage.files, basis: basis,
            freeBytes: free.bytes, freeFiles: free.files,
            replacesOlder: usage.bytes <= room.bytes && usage.files <= room.files)
    }

    /// Returns a number without its fraction; the largest is four exbibytes.
    static func whole(_ value: Double) -> Int { Int(min(value, 0x1p62)) }
}
