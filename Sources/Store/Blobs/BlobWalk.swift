import Glibc
import Hashing

/// The walk over the directories of blobs, for all that looks at files instead of rows. Calls block.
struct BlobWalk: Sendable {
    /// A file among the blobs.
    struct Found: Sendable, Equatable {
        var digest: Digest
        /// Size of the file.
        var byteCount: Int
        /// Seconds since 1970 when it was written.
        var writtenAt: Int
        /// Whether it is not a directory or a link in a blob's place.
        var isRegular = true
    }

    /// What a second-level directory holds.
    struct Content: Sendable {
        var blobs: [Found] = []
        /// Paths of entries that are not blobs of this directory.
        var strays: [String] = []
    }

    let layout: StoreLayout

    /// Returns the second-level directories in a first-level one, in order, and what else is there.
    func directories(inFan fan: Int) throws(StoreError) -> (paths: [String], strays: [String]) {
        let top = "\(layout.blobs)/\(StoreLayout.fans[fan])"
        guard try status(top)?.isDirectory == true else { return ([], []) }
        var (paths, strays): ([String], [String]) = ([], [])
        for name in try names(top) {
            let path = top + "/" + name
            if StoreLayout.isFan(name), try status(path)?.isDirectory == true {
                paths.append(path)
            } else {
                strays.append(path)
            }
        }
        return (paths, strays)
    }

    /// Returns the entries of a second-level directory. Those that vanish meanwhile are missing.
    func content(of directory: String) throws(StoreError) -> Content {
        var content = Content()
        for name in try names(directory) {
            let path = directory + "/" + name
            guard let status = try status(path) else { continue }
            if let digest = Digest(hex: name), layout.blob(digest) == path {
                content.blobs.append(
                    Found(
                        digest: digest, byteCount: Int(status.st_size),
                        writtenAt: status.st_mtim.tv_sec, isRegular: status.isRegular))
            } else {
                content.strays.append(path)
            }
        }
        return content
    }

    /// Returns the entries of `blobs` that are not first-level directories.
    func strays() throws(StoreError) -> [String] {
        var strays: [String] = []
        for name in try names(layout.blobs) {
            let path = layout.blobs + "/" + name
            if StoreLayout.isFan(name), try status(path)?.isDirectory == true { continue }
            strays.append(path)
        }
        return strays
    }

    private func names(_ path: String) throws(StoreError) -> [String] {
        try layout.trying("list", path) { () throws(Errno) in try directoryNames(path).sorted() }
    }

    private func status(_ path: String) throws(StoreError) -> stat? {
        try layout.trying("look at", path) { () throws(Errno) in try fileStatus(path) }
    }
}
