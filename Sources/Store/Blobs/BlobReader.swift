import Glibc
import Hashing
import Memory
import Synchronization
import Threads

/// Opens blobs that are sent from their files. It remembers which files were verified and shares
/// open ones.
final class BlobReader: Sendable {
    private struct Weak: Sendable {
        weak let blob: OpenBlob?
    }

    /// Limit of files remembered as verified, about 150 bytes each.
    private static let maxKnown = 10_000

    private let files: BlobFiles
    private let threads: ThreadPool
    /// Bytes that were hashed to verify files.
    let verified = Counter()
    /// Bytes that were read to be sent.
    let sent = Counter()
    /// Files that are open because a response is sent from them.
    let openFiles: Room
    private let known = MemoryTier<Digest, FileStamp>(maxCost: maxKnown, maxCount: maxKnown)
    private let open = Mutex<[Digest: Weak]>([:])

    init(_ files: BlobFiles, _ threads: ThreadPool, openFiles: Room) {
        self.files = files
        self.openFiles = openFiles
        self.threads = threads
    }

    /// Opens a blob and verifies all of it, unless that was done since the file last changed.
    /// Blocks; reads in pieces. A blob that readers share already is not counted again.
    ///
    /// - Parameter hold: of the file, if that was counted already.
    func open(
        _ digest: Digest, _ hold: Room.Hold? = nil
    ) throws(StoreError) -> BlobFiles.Found<OpenBlob> {
        try files.open(digest) { (file, status) throws(Errno) in
            let stamp = FileStamp(status)
            if let shared = shared(digest, stamp) { return shared }
            guard let hold = hold ?? openFiles.take(1) else { throw Errno(EMFILE) }
            guard try matches(file, stamp, digest) else { return nil }
            let beginning = try file.read(min(stamp.size, OpenBlob.beginningCount), at: 0)
            return shared(file, stamp, digest, hold, beginning)
        }
    }

    /// See ``BlobStore/adopt(_:as:byteCount:_:)``. Blocks.
    func adopt(
        _ descriptor: CInt, as digest: Digest, byteCount: Int, _ hold: Room.Hold
    ) throws(StoreError) -> OpenBlob? {
        do throws(Errno) {
            let file = try FileDescriptor(duplicating: descriptor)
            let status = try file.status()
            let stamp = FileStamp(status)
            guard status.isRegular, stamp.size == byteCount else { return nil }
            if let shared = shared(digest, stamp) { return shared }
            let beginning = try file.read(OpenBlob.beginningCount, at: 0)
            return shared(file, stamp, digest, hold, beginning)
        } catch {
            throw files.layout.error(error, "read", "original \(digest)")
        }
    }

    /// Returns the open file that readers share, if it is this one.
    private func shared(_ digest: Digest, _ stamp: FileStamp) -> OpenBlob? {
        guard let shared = open.withLock({ $0[digest]?.blob }), shared.stamp == stamp else {
            return nil
        }
        return shared
    }

    /// Returns the size and first bytes without verifying them; nil if the file doesn't exist.
    func look(_ digest: Digest) throws(StoreError) -> (byteCount: Int, beginning: [UInt8])? {
        let found = try files.open(digest) { (file, status) throws(Errno) in
            let size = Int(status.st_size)
            return (size, try file.read(min(size, OpenBlob.beginningCount), at: 0))
        }
        // Opening it for its bytes reports the damage.
        guard case .whole(let beginning) = found else { return nil }
        return beginning
    }

    /// Returns whether the bytes match the digest.
    private func matches(
        _ file: borrowing FileDescriptor, _ stamp: FileStamp, _ digest: Digest
    ) throws(Errno) -> Bool {
        if known.value(digest) == stamp { return true }
        known.remove(digest)
        // Taken before the first byte is read, so that a later change shows.
        let isSettled = stamp.isSettled
        var hasher = SHA256()
        var offset = 0
        while offset < stamp.size {
            let piece = try file.read(min(BlobFiles.chunk, stamp.size - offset), at: offset)
            if piece.isEmpty { return false }
            piece.withUnsafeBytes { hasher.update($0) }
            offset += piece.count
            verified.add(piece.count)
        }
        guard Digest(hasher) == digest, FileStamp(try file.status()) == stamp else {
            return false
        }
        if isSettled { known.insert(stamp, for: digest, cost: 1) }
        return true
    }

    /// Returns a blob that later readers share. Its removal doesn't end responses under way.
    private func shared(
        _ file: consuming FileDescriptor, _ stamp: FileStamp, _ digest: Digest,
        _ hold: Room.Hold, _ beginning: [UInt8]
    ) -> OpenBlob {
        let file = VerifiedFile(
            file, stamp, as: digest, keepsItsName: false, hold, threads, sent: sent)
        let blob = OpenBlob(file, beginning: beginning, threads, sent)
        keep(blob)
        return blob
    }

    private func keep(_ blob: OpenBlob) {
        open.withLock { open in
            // Closed entries are removed once they outnumber the open ones.
            if open.count >= 64, open.values.count(where: { $0.blob == nil }) > open.count / 2 {
                open = open.filter { $0.value.blob != nil }
            }
            open[blob.digest] = Weak(blob: blob)
        }
    }
}
