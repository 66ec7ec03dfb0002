import FoundationEssentials
import Glibc
import Synchronization

/// Takes what is damaged or out of place out of the way, without destroying it at once.
struct Quarantine: Sendable {
    /// Enough to find out what went wrong; a disk that goes bad must not fill itself with evidence.
    static let capacity = 64

    let layout: StoreLayout
    let taken = Taken()

    /// What was taken since the start.
    final class Taken: Sendable {
        private let count = Atomic<Int>(0)

        var value: Int { count.load(ordering: .relaxed) }

        fileprivate func add() { count.add(1, ordering: .relaxed) }
    }

    /// Moves what lies at the path, of whatever kind. With `inode`, only if it is still that file:
    /// another process may have put a good one there meanwhile.
    func take(_ path: String, inode: ino_t? = nil) throws(StoreError) {
        try layout.trying("quarantine", path) { () throws(Errno) in
            guard let status = try fileStatus(path), inode == nil || status.st_ino == inode else {
                return
            }
            let name = path.split(separator: "/").last ?? "unnamed"
            do throws(Errno) {
                try Errno.check { rename(path, "\(layout.quarantine)/\(uniqueName())-\(name)") }
            } catch {
                if error.code != ENOENT { throw error }
            }
        }
        taken.add()
        try trim()
    }

    func count() throws(StoreError) -> Int { try names().count }

    private func names() throws(StoreError) -> [String] {
        try layout.trying("list", layout.quarantine) { () throws(Errno) in
            try directoryNames(layout.quarantine)
        }
    }

    /// Lets the oldest go: names begin with the time.
    private func trim() throws(StoreError) {
        for name in try names().sorted().dropLast(Self.capacity) {
            let path = layout.quarantine + "/" + name
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch {
                // Another process may have been faster.
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
