import FoundationEssentials
import Glibc

/// Moves damaged and misplaced files away without deleting them at once.
struct Quarantine: Sendable {
    /// Limit of quarantined files: enough to investigate, but a failing disk must not fill itself
    /// with them.
    static let capacity = 64

    let layout: StoreLayout
    /// Files that were quarantined since the start.
    let taken = Counter()

    /// Moves the file or directory at the path to the quarantine.
    ///
    /// - Parameter inode: if set, only the file with this number is moved. Another process may have
    ///   replaced it meanwhile.
    func take(_ path: String, inode: ino_t? = nil) throws(StoreError) {
        let isMoved = try layout.trying("quarantine", path) { () throws(Errno) in
            guard let status = try fileStatus(path), inode == nil || status.st_ino == inode else {
                return false
            }
            let name = path.split(separator: "/").last ?? "unnamed"
            do throws(Errno) {
                try Errno.check { rename(path, "\(layout.quarantine)/\(uniqueName())-\(name)") }
                return true
            } catch {
                // Another process moved it first.
                guard error.code == ENOENT else { throw error }
                return false
            }
        }
        guard isMoved else { return }
        taken.add()
        try trim()
    }

    func count() throws(StoreError) -> Int { try names().count }

    private func names() throws(StoreError) -> [String] {
        try layout.trying("list", layout.quarantine) { () throws(Errno) in
            try directoryNames(layout.quarantine)
        }
    }

    /// Deletes the oldest entries. Their names begin with the time.
    private func trim() throws(StoreError) {
        for name in try names().sorted().dropLast(Self.capacity) {
            let path = layout.quarantine + "/" + name
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch {
                // Another process may have removed it first.
                let left = try layout.trying("remove", path) { () throws(Errno) in
                    try fileStatus(path)
                }
                if left != nil {
                    throw .inputOutput(path: path, operation: "remove", code: EIO)
                }
            }
        }
    }
}
