import FoundationEssentials
import Glibc
import Threads

/// Moves damaged and misplaced files away without deleting them at once.
struct Quarantine: Sendable {
    /// Limit of quarantined files: enough to investigate, but a failing disk must not fill itself
    /// with them.
    static let capacity = 64
    /// Limit of their bytes.
    static let maxBytes = 64 << 20
    /// What a file takes at least on usual file systems.
    private static let block = 4_096

    let layout: StoreLayout
    let ledger: Ledger
    /// Files that were quarantined since the start.
    let taken = Counter()

    /// Why a file is in quarantine. Part of its name there.
    enum Reason: String {
        /// Its bytes don't match its name.
        case damaged
        /// It is not a blob, or in the wrong directory.
        case misplaced
    }

    /// Moves the file or directory at the path to the quarantine.
    ///
    /// - Parameter inode: if set, only the file with this number is moved. Another process may have
    ///   replaced it meanwhile.
    func take(_ path: String, _ reason: Reason = .damaged, inode: ino_t? = nil) throws(StoreError) {
        guard let fan = layout.fanNumber(of: path) else {
            if try move(path, reason, inode) != nil { try trim() }
            return
        }
        try ledger.during([fan]) { () throws(StoreError) in
            guard let freed = try move(path, reason, inode) else { return }
            // Counted there before it is counted here no longer.
            try trim()
            if freed.files > 0 {
                ledger.add(-freed, to: .fan(fan))
            }
        }
    }

    /// Returns what the file took, nothing for a directory; nil if it is gone, or another one.
    private func move(
        _ path: String, _ reason: Reason, _ inode: ino_t?
    ) throws(StoreError) -> DiskUsage? {
        let taken = try layout.trying("quarantine", path) { () throws(Errno) -> stat? in
            guard let status = try fileStatus(path), inode == nil || status.st_ino == inode else {
                return nil
            }
            let name = path.split(separator: "/").last ?? "unnamed"
            let target = "\(layout.quarantine)/\(uniqueName())-\(reason.rawValue)-\(name)"
            // Another process may have moved it first.
            return try Errno.unlessMissing { rename(path, target) } ? status : nil
        }
        guard let taken else { return nil }
        self.taken.add()
        return taken.isRegular ? DiskUsage(bytes: block(taken.st_size), files: 1) : DiskUsage()
    }

    func count() throws(StoreError) -> Int { try layout.names(in: layout.quarantine).count }

    /// Deletes the oldest entries until the limits hold, and counts the rest. Their names begin with
    /// the time.
    func trim(capacity: Int = Self.capacity) throws(StoreError) {
        var kept = DiskUsage()
        for name in try layout.names(in: layout.quarantine).sorted().reversed() {
            let path = layout.quarantine + "/" + name
            guard let status = try layout.status(of: path) else { continue }
            // A damaged file may claim to be larger than the disk.
            let size = min(block(status.st_size), Int(status.st_blocks) * 512)
            let fits = kept.files < capacity && kept.bytes + size <= Self.maxBytes
            if fits || !remove(path) { kept += DiskUsage(bytes: size, files: 1) }
        }
        ledger.set(.quarantine, to: kept)
    }

    /// Returns whether the file or directory is gone. One that can't be removed keeps no other from it.
    private func remove(_ path: String) -> Bool {
        do {
            try FileManager.default.removeItem(atPath: path)
            return true
        } catch {
            // Another process may have removed it first.
            return access(path, F_OK) != 0 && errno == ENOENT
        }
    }

    private func block(_ size: off_t) -> Int {
        (min(max(0, Int(clamping: size)), 1 << 50) + Self.block - 1) / Self.block * Self.block
    }
}
