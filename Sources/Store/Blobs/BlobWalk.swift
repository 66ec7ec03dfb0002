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

    let layout: StoreLayout

    /// Returns the second-level directories in a first-level one, in order, and what else is there.
    func directories(inFan fan: Int) throws(StoreError) -> (paths: [String], strays: [String]) {
        let top = "\(layout.blobs)/\(StoreLayout.fans[fan])"
        guard try layout.status(of: top)?.isDirectory == true else { return ([], []) }
        var (paths, strays): ([String], [String]) = ([], [])
        for name in try layout.names(in: top).sorted() {
            let path = top + "/" + name
            if StoreLayout.isFan(name), try layout.status(of: path)?.isDirectory == true {
                paths.append(path)
            } else {
                strays.append(path)
            }
        }
        return (paths, strays)
    }

    /// Returns the blobs in a second-level directory, and the paths of what else is there. Entries that vanish
    /// meanwhile are missing.
    func content(
        of directory: String
    ) throws(StoreError) -> (blobs: [Found], strays: [String]) {
        var (blobs, strays): ([Found], [String]) = ([], [])
        for name in try layout.names(in: directory).sorted() {
            let path = directory + "/" + name
            guard let status = try layout.status(of: path) else { continue }
            if let digest = Digest(hex: name), layout.blob(digest) == path {
                blobs.append(
                    Found(
                        digest: digest, byteCount: Int(status.st_size),
                        writtenAt: status.st_mtim.tv_sec, isRegular: status.isRegular))
            } else {
                strays.append(path)
            }
        }
        return (blobs, strays)
    }

    /// Returns the entries of `blobs` that are not first-level directories.
    func strays() throws(StoreError) -> [String] {
        var strays: [String] = []
        for name in try layout.names(in: layout.blobs).sorted() {
            let path = layout.blobs + "/" + name
            if StoreLayout.isFan(name), try layout.status(of: path)?.isDirectory == true {
                continue
            }
            strays.append(path)
        }
        return strays
    }
}
