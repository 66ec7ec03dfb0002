import Glibc
import Hashing
import Synchronization

/// Reads and writes blobs with blocking calls. Async code uses ``BlobStore``.
final class BlobFiles: Sendable {
    /// Far above any picture, so that a file that grew by damage isn't read into memory.
    static let maxBytes = 1 << 30
    /// Bytes that are read and hashed at a time.
    static let chunk = 256 << 10
    /// How often a file in the place of a blob is moved away, or a directory that vanished is made
    /// again, before `put` fails.
    private static let maxAttempts = 4

    let layout: StoreLayout
    let quarantine: Quarantine
    let space: DiskSpace
    let durability: Durability
    private let method: Mutex<StagingMethod>

    init(layout: StoreLayout, staging: StagingMethod, _ policy: StorePolicy = StorePolicy()) {
        self.layout = layout
        space = DiskSpace(layout, policy.limits)
        quarantine = Quarantine(layout: layout, ledger: space.ledger)
        durability = policy.durability
        method = Mutex(staging)
        guard durability == .power else { return }
        // The tree may be new. A failure shows when a blob is written.
        for path in [layout.tree, layout.root, StoreLayout.parent(of: layout.root)] {
            _ = Errno.optional { () throws(Errno) in
                try FileDescriptor(opening: path, O_RDONLY).synchronize()
            }
        }
    }

    /// Blobs whose own files or directories can't be written, and why the first can't.
    private struct Refused {
        var blobs: [HashedBytes] = []
        var error: StoreError?

        /// Adds a blob, or throws the error if it concerns all blobs.
        mutating func add(_ blob: HashedBytes, _ error: StoreError) throws(StoreError) {
            guard error.isOfOneFile else { throw error }
            blobs.append(blob)
            self.error = self.error ?? error
        }
    }

    /// Writes blobs, and makes room in the ledger for all that are missing at once. Returns those that are
    /// not written, and why. If the error is of one file, all others were written; otherwise those after
    /// it were not tried.
    func put(_ blobs: [HashedBytes]) -> (left: [HashedBytes], error: StoreError?) {
        var left = blobs
        var refused = Refused()
        do throws(StoreError) {
            for _ in 0..<Self.maxAttempts {
                var absent: [HashedBytes] = []
                for blob in left where !absent.contains(where: { $0.digest == blob.digest }) {
                    do throws(StoreError) {
                        if try !isThere(blob) { absent.append(blob) }
                    } catch {
                        try refused.add(blob, error)
                    }
                }
                left = absent
                if absent.isEmpty { return (refused.blobs, refused.error) }
                let error = space.ledger.during(Set(absent.map(\.digest.fan))) {
                    write(&left, &refused)
                }
                if let error { throw error }
                if left.isEmpty { return (refused.blobs, refused.error) }
            }
            throw .inputOutput(path: layout.blobs, operation: "publish", code: EEXIST)
        } catch {
            return (left + refused.blobs, error)
        }
    }

    /// Returns whether the blob needs no staging file, because its file is there.
    private func isThere(_ blob: HashedBytes) throws(StoreError) -> Bool {
        if blob.bytes.count > Self.maxBytes {
            throw .inputOutput(path: layout.blobs, operation: "write", code: EFBIG)
        }
        guard try holds(blob.digest, byteCount: blob.bytes.count) else { return false }
        // Its writer may have died before syncing it.
        if durability == .power { try synchronizePublished(blob.digest) }
        return true
    }

    /// Counts blobs that are absent, and writes them. Leaves those that are to be tried: after an
    /// error that is returned, or again.
    private func write(_ blobs: inout [HashedBytes], _ refused: inout Refused) -> StoreError? {
        // Directories that are missing are counted as well, so that a death leaves a count that is
        // too high.
        let additions = blobs.map { blob in
            DiskSpace.Addition(
                place: CountedPlace(blob.digest), blob: blob.bytes.count,
                directories: missingDirectories(of: blob.digest))
        }
        do throws(StoreError) {
            try space.admit(additions)
        } catch {
            return error
        }
        var failure: StoreError?
        var unwritten: [HashedBytes] = []
        var surplus: [DiskSpace.Addition] = []
        for (blob, addition) in zip(blobs, additions) {
            var excess = addition
            var isRefused = false
            if failure == nil {
                excess.directories -= makeDirectories(addition.directories, of: blob.digest)
                do throws(StoreError) {
                    if try publish(blob.bytes, blob.digest) { excess.blob = nil }
                } catch {
                    do throws(StoreError) {
                        try refused.add(blob, error)
                        isRefused = true
                    } catch {
                        failure = error
                    }
                }
            }
            if excess.blob != nil, !isRefused { unwritten.append(blob) }
            if excess.blob != nil || excess.directories > 0 { surplus.append(excess) }
        }
        space.release(surplus)
        if case .diskFull = failure { space.forgetSpace() }
        blobs = unwritten
        return failure
    }

    /// Returns how many directories a blob lacks: none, the one that it is in, or that above it, too.
    private func missingDirectories(of digest: Digest) -> Int {
        if access(layout.directory(digest), F_OK) == 0 { return 0 }
        return access(layout.fan(digest), F_OK) == 0 ? 1 : 2
    }

    /// Makes the directories that a blob lacks. Returns how many of them were not made by others
    /// meanwhile.
    private func makeDirectories(_ count: Int, of digest: Digest) -> Int {
        [layout.fan(digest), layout.directory(digest)].suffix(count).count { path in
            // A failure shows when the blob is published.
            Errno.optional { () throws(Errno) in
                try StoreLayout.makeDirectoryIfMissing(path)
            } ?? false
        }
    }

    /// Checks that a blob's directory takes it, before its bytes are written elsewhere. A file in the place of a
    /// directory is quarantined. Returns false if the blob is to be tried again.
    private func isOpen(to digest: Digest) throws(StoreError) -> Bool {
        let path = layout.directory(digest)
        if access(path, W_OK | X_OK) == 0 || errno == ENOENT { return true }
        let code = errno
        for path in [layout.fan(digest), path] {
            guard let status = try layout.status(of: path) else { break }
            // A symbolic link is the owner's choice.
            if status.isDirectory || status.isLink { continue }
            try quarantine.take(path, .misplaced, inode: status.st_ino)
            return false
        }
        throw layout.error(Errno(code), "write a blob to", path)
    }

    /// Returns a new staging file. One without a name can be in another directory if its own can't be used.
    private func stagingFile(_ method: StagingMethod) throws(Errno) -> StagingFile {
        do throws(Errno) {
            return try StagingFile(in: layout, method)
        } catch {
            guard method == .anonymous, [EACCES, EPERM, ENOTDIR, EIO].contains(error.code) else {
                throw error
            }
            return try StagingFile(in: layout, method, at: layout.blobs)
        }
    }

    /// Makes the directory of staging files if it is missing, because the cache was emptied. Returns whether it
    /// was.
    private func restoreTree() throws(Errno) -> Bool {
        if access(layout.staging, F_OK) == 0 || errno != ENOENT { return false }
        try layout.makeTree()
        return true
    }

    /// Writes a blob that is counted. Returns false if that is to be tried again, because another file has its
    /// name, the tree was removed, or this filesystem has no anonymous files, which are named from then on.
    private func publish(_ bytes: [UInt8], _ digest: Digest) throws(StoreError) -> Bool {
        guard try isOpen(to: digest) else { return false }
        let method = method.withLock { $0 }
        var place = layout.staging
        do throws(Errno) {
            var file = try stagingFile(method)
            place = layout.blob(digest)
            try file.write(bytes[...])
            if durability == .power { try file.synchronize() }
            for _ in 0..<Self.maxAttempts {
                switch try file.publish(as: layout.blob(digest)) {
                case .published:
                    if durability == .power { try synchronizeDirectories(of: digest) }
                    return true
                case .occupied: return false
                // Eviction has removed the directory meanwhile.
                case .noDirectory: try makeDirectories(of: digest)
                }
            }
            throw Errno(EAGAIN)
        } catch {
            var failure = error
            do throws(Errno) {
                if error.code == ENOENT, try restoreTree() { return false }
            } catch {
                failure = error
            }
            if method == .anonymous, StagingFile.isUnsupported(failure) {
                self.method.withLock { $0 = .named }
                return false
            }
            throw layout.error(failure, "write a blob to", place)
        }
    }

    /// Makes the directories of a blob that are missing. Eviction may remove the first before the
    /// second is made; the next attempt makes both.
    private func makeDirectories(of digest: Digest) throws(Errno) {
        let place = CountedPlace(digest)
        if try makeDirectory(layout.directory(digest), in: place) { return }
        if try makeDirectory(layout.fan(digest), in: place) {
            _ = try makeDirectory(layout.directory(digest), in: place)
        }
    }

    /// Makes a directory if it is missing. Returns false if the one above it is missing as well.
    private func makeDirectory(_ path: String, in place: CountedPlace) throws(Errno) -> Bool {
        // Counted first, so that a death leaves a count that is too high.
        space.note(directories: 1, in: place)
        do throws(Errno) {
            if try StoreLayout.makeDirectoryIfMissing(path) { return true }
        } catch {
            space.note(directories: -1, in: place)
            if error.code == ENOENT { return false }
            throw error
        }
        space.note(directories: -1, in: place)
        return true
    }

    /// Syncs all directories above a blob: another process may have made them, and not have come as
    /// far as that.
    private func synchronizeDirectories(of digest: Digest) throws(Errno) {
        for path in [layout.directory(digest), layout.fan(digest), layout.blobs] {
            try FileDescriptor(opening: path, O_RDONLY).synchronize()
        }
    }

    private func synchronizePublished(_ digest: Digest) throws(StoreError) {
        let path = layout.blob(digest)
        try layout.trying("sync", path) { () throws(Errno) in
            do throws(Errno) {
                try FileDescriptor(opening: path, O_RDONLY).synchronize()
                try synchronizeDirectories(of: digest)
            } catch {
                // It was evicted meanwhile, as it may be at any time.
                if error.code != ENOENT { throw error }
            }
        }
    }

    /// Returns whether a blob of that size exists. Any other file of its name is quarantined.
    private func holds(_ digest: Digest, byteCount: Int) throws(StoreError) -> Bool {
        guard let status = try blobStatus(digest) else { return false }
        if status.isRegular, status.st_size == byteCount,
            access(layout.blob(digest), R_OK) == 0
        {
            return true
        }
        try quarantine.take(layout.blob(digest), inode: status.st_ino)
        return false
    }

    /// Returns the status of a blob's file; nil if there is none, also because one of its directories is a file.
    private func blobStatus(_ digest: Digest) throws(StoreError) -> stat? {
        let path = layout.blob(digest)
        return try layout.trying("look at", path) { () throws(Errno) in
            do throws(Errno) {
                return try fileStatus(path)
            } catch {
                if error.code == ENOTDIR { return nil }
                throw error
            }
        }
    }

    /// What was found under the name of a blob.
    enum Found<Content> {
        case whole(Content)
        case missing
        /// The bytes don't match the digest. The inode is nil if the file couldn't be opened.
        case damaged(inode: ino_t?)
    }

    /// Reads and verifies a blob without changing anything.
    func read(_ digest: Digest) throws(StoreError) -> Found<[UInt8]> {
        try open(digest) { (file, status) throws(Errno) in
            let bytes = try file.read(Int(status.st_size))
            return Digest(of: bytes) == digest ? bytes : nil
        }
    }

    /// Opens a blob.
    ///
    /// - Parameter read: returns nil if the bytes don't match the digest.
    func open<Content>(
        _ digest: Digest,
        _ read: (consuming FileDescriptor, stat) throws(Errno) -> Content?
    ) throws(StoreError) -> Found<Content> {
        let path = layout.blob(digest)
        var inode: ino_t?
        do throws(Errno) {
            let file = try FileDescriptor(opening: path, O_RDONLY)
            let status = try file.status()
            inode = status.st_ino
            guard status.isRegular, status.st_size <= Self.maxBytes,
                let content = try read(file, status)
            else { return .damaged(inode: inode) }
            return .whole(content)
        } catch {
            switch error.code {
            case ENOENT, ENOTDIR: return .missing
            // A symbolic link, a socket, or an unreadable sector.
            case ELOOP, ENXIO, EIO: return .damaged(inode: inode)
            // Its directories can be entered, so that it is this file alone that can't be read.
            case EACCES, EPERM:
                if let status = Errno.optional({ () throws(Errno) in try fileStatus(path) }) ?? nil
                {
                    return .damaged(inode: status.st_ino)
                }
                throw layout.error(error, "read", path)
            default: throw layout.error(error, "read", path)
            }
        }
    }

    /// Returns what was found. A damaged file is quarantined, and counts as missing.
    func healed<Content>(
        _ digest: Digest, _ found: Found<Content>
    ) throws(StoreError) -> Content? {
        switch found {
        case .whole(let content): return content
        case .missing: return nil
        case .damaged(let inode):
            try quarantine.take(layout.blob(digest), inode: inode)
            return nil
        }
    }

    /// Returns the size of the blob's file; nil if it is not a regular file.
    func byteCount(_ digest: Digest) throws(StoreError) -> Int? {
        try blobStatus(digest).flatMap { $0.isRegular ? Int($0.st_size) : nil }
    }

    func contains(_ digest: Digest) throws(StoreError) -> Bool {
        try blobStatus(digest) != nil
    }

    func remove(_ digest: Digest) throws(StoreError) {
        try space.ledger.during([digest.fan]) { () throws(StoreError) in
            try removeCounted(digest)
        }
    }

    private func removeCounted(_ digest: Digest) throws(StoreError) {
        let path = layout.blob(digest)
        do throws(Errno) {
            let size = try fileStatus(path)?.st_size ?? 0
            try Errno.check { unlink(path) }
            space.release([DiskSpace.Addition(place: CountedPlace(digest), blob: Int(size))])
        } catch {
            switch error.code {
            case ENOENT, ENOTDIR: return
            case EISDIR: try quarantine.take(path)
            default: throw layout.error(error, "remove", path)
            }
        }
        removeEmptyDirectories(of: digest)
    }

    /// Removes the directories of a blob that was the last in them. Others stay.
    private func removeEmptyDirectories(of digest: Digest) {
        var removed = 0
        for path in [layout.directory(digest), layout.fan(digest)] {
            if rmdir(path) != 0 { break }
            removed += 1
        }
        if removed > 0 { space.note(directories: -removed, in: CountedPlace(digest)) }
    }
}
