import Glibc

/// Finds files in `staging` that dead processes left behind.
struct StagingSweep {
    let layout: StoreLayout

    /// Returns the paths of files that no live process is writing. With `removing` it deletes them.
    ///
    /// A live writer holds a lock on its file, so several processes can share the directory.
    func strays(removing: Bool) throws(StoreError) -> [String] {
        let names = try layout.trying("list", layout.staging) { () throws(Errno) in
            try directoryNames(layout.staging)
        }
        var strays: [String] = []
        for name in names.sorted() {
            let path = layout.staging + "/" + name
            let isStray = try layout.trying("sweep", path) { () throws(Errno) in
                try sweep(path, removing: removing)
            }
            if isStray { strays.append(path) }
        }
        return strays
    }

    private func sweep(_ path: String, removing: Bool) throws(Errno) -> Bool {
        guard let status = try fileStatus(path), status.isRegular else { return false }
        do throws(Errno) {
            let file = try FileDescriptor(opening: path, O_RDONLY)
            guard try file.lock(waiting: false) else { return false }
            if removing { try Errno.check { unlink(path) } }
            return true
        } catch {
            // Another process has published or swept it meanwhile.
            if error.code == ENOENT { return false }
            // Without locks we can't know whether a live process owns the file, so it stays.
            if error.isMissingLocks { return false }
            throw error
        }
    }
}
