import Glibc

/// Counts or verifies all blobs of one first-level directory. Its calls block.
struct BlobWalk: Sendable {
    let files: BlobFiles

    private var layout: StoreLayout { files.layout }

    /// Returns the number and the total bytes of the blobs, without reading them.
    func count(_ fan: String) throws(StoreError) -> (blobs: Int, bytes: Int) {
        var blobs = 0
        var bytes = 0
        try visit(fan) { (entry) throws(StoreError) in
            guard case .blob(_, let status) = entry else { return }
            blobs += 1
            bytes += Int(status.st_size)
        }
        return (blobs, bytes)
    }

    /// Reads and checks every blob. The report's strays are full paths.
    ///
    /// - Parameter repair: whether corrupt blobs and strays are moved to the quarantine.
    func verify(_ fan: String, repair: Bool) throws(StoreError) -> BlobStore.Verification {
        var report = BlobStore.Verification()
        try visit(fan) { (entry) throws(StoreError) in
            switch entry {
            case .stray(let path):
                report.strays.append(path)
                if repair { try files.quarantine.take(path, .misplaced) }
            case .blob(let digest, _):
                switch try files.read(digest) {
                case .whole(let bytes):
                    report.blobs += 1
                    report.bytes += bytes.count
                case .damaged(let inode):
                    report.corrupt.append(digest)
                    if repair { try files.quarantine.take(layout.blob(digest), inode: inode) }
                case .missing:
                    break
                }
            }
        }
        return report
    }

    /// Returns the entries of `blobs` that are not first-level directories, and quarantines them
    /// with `repair`.
    func verifyTop(repair: Bool) throws(StoreError) -> [String] {
        var strays: [String] = []
        for name in try names(layout.blobs) {
            let path = layout.blobs + "/" + name
            guard let status = try status(path) else { continue }
            if StoreLayout.isFan(name), status.isDirectory { continue }
            strays.append(path)
            if repair { try files.quarantine.take(path, .misplaced) }
        }
        return strays
    }

    private enum Entry {
        case blob(Digest, stat)
        case stray(path: String)
    }

    private func visit(
        _ fan: String, _ body: (Entry) throws(StoreError) -> Void
    ) throws(StoreError) {
        let top = layout.blobs + "/" + fan
        guard try status(top)?.isDirectory == true else { return }
        for second in try names(top) {
            let directory = top + "/" + second
            guard StoreLayout.isFan(second), try status(directory)?.isDirectory == true else {
                try body(.stray(path: directory))
                continue
            }
            for name in try names(directory) {
                let path = directory + "/" + name
                // Another process has removed it meanwhile.
                guard let status = try status(path) else { continue }
                if let digest = Digest(hex: name), layout.blob(digest) == path {
                    try body(.blob(digest, status))
                } else {
                    try body(.stray(path: path))
                }
            }
        }
    }

    private func names(_ path: String) throws(StoreError) -> [String] {
        try layout.trying("list", path) { () throws(Errno) in try directoryNames(path).sorted() }
    }

    private func status(_ path: String) throws(StoreError) -> stat? {
        try layout.trying("look at", path) { () throws(Errno) in try fileStatus(path) }
    }
}
