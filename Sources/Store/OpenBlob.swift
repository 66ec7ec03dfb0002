import Glibc
import Hashing
import Synchronization

/// A blob whose bytes matched its digest when they were last looked at, to be read in parts. Any
/// number of readers share its file, which is closed with the last of them. A blob that the disk did
/// not take is read from memory.
package final class OpenBlob: Sendable {
    private enum Content {
        case file(OpenFile)
        case memory([UInt8])
    }

    /// Enough to tell every format that is read.
    static let beginningCount = 8 << 10

    package let digest: Digest
    package let byteCount: Int
    /// The first bytes, which tell the format.
    package let beginning: [UInt8]
    private let content: Content
    private let threads: IOThreads
    private let reads: ReadCounter

    fileprivate init(
        _ digest: Digest, _ file: consuming FileDescriptor, _ stamp: FileStamp,
        beginning: [UInt8], _ threads: IOThreads, _ reads: ReadCounter
    ) {
        self.digest = digest
        self.byteCount = stamp.size
        self.beginning = beginning
        content = .file(OpenFile(file, stamp))
        self.threads = threads
        self.reads = reads
    }

    /// - Parameter bytes: have that digest.
    init(_ digest: Digest, held bytes: [UInt8], _ threads: IOThreads, _ reads: ReadCounter) {
        self.digest = digest
        byteCount = bytes.count
        beginning = Array(bytes.prefix(Self.beginningCount))
        content = .memory(bytes)
        self.threads = threads
        self.reads = reads
    }

    /// Of its file; nil for one in memory.
    fileprivate var stamp: FileStamp? {
        switch content {
        case .file(let file): file.stamp
        case .memory: nil
        }
    }

    /// Reads a part on the store's threads.
    ///
    /// - Throws: ``StoreError/inputOutput(path:operation:code:)`` with `ESTALE` where the file was
    ///   changed since its bytes were compared with the digest: then no byte is handed out.
    package func read(_ range: Range<Int>) async throws(StoreError) -> [UInt8] {
        try await threads.run { [self] () throws(StoreError) in
            switch content {
            case .memory(let bytes): return Array(bytes[range.clamped(to: 0..<bytes.count)])
            case .file(let file):
                do throws(Errno) {
                    let bytes = try file.read(range)
                    reads.add(bytes.count)
                    return bytes
                } catch {
                    throw .inputOutput(path: "\(digest)", operation: "read", code: error.code)
                }
            }
        }
    }
}

/// A file and how it was when its bytes were compared.
private final class OpenFile: Sendable {
    private let descriptor: FileDescriptor
    let stamp: FileStamp

    init(_ descriptor: consuming FileDescriptor, _ stamp: FileStamp) {
        self.descriptor = descriptor
        self.stamp = stamp
    }

    /// All of the range, or `ESTALE` where the file has changed.
    func read(_ range: Range<Int>) throws(Errno) -> [UInt8] {
        let bytes = try descriptor.read(range.count, at: range.lowerBound)
        // After the bytes: what was written before them shows in the times.
        guard bytes.count == range.count, stamp.describes(try descriptor.status()) else {
            throw Errno(ESTALE)
        }
        return bytes
    }
}

/// What changes with a file's content.
struct FileStamp: Sendable, Hashable {
    let device: UInt64
    let inode: UInt64
    let size: Int
    private let modified: Moment
    private let changed: Moment

    private struct Moment: Sendable, Hashable {
        var seconds: Int
        var nanoseconds: Int

        init(_ time: timespec) {
            seconds = time.tv_sec
            nanoseconds = time.tv_nsec
        }
    }

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int(status.st_size)
        modified = Moment(status.st_mtim)
        changed = Moment(status.st_ctim)
    }

    /// Whether an open file is as it was. Being removed is a change of its directory, not of its
    /// bytes.
    func describes(_ status: stat) -> Bool {
        let now = FileStamp(status)
        if now == self { return true }
        return status.st_nlink == 0 && now.inode == inode && now.device == device
            && now.size == size && now.modified == modified
    }

    /// Whether a change from now on would show in the times. File systems take them from a clock that
    /// stands still for some milliseconds.
    var isSettled: Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        return (now.tv_sec, now.tv_nsec) > (changed.seconds, changed.nanoseconds)
    }
}

/// Bytes read from blobs that are sent from their files.
final class ReadCounter: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    func add(_ bytes: Int) { count.add(bytes, ordering: .relaxed) }
}

/// Opens blobs to be sent from their files: remembers which files were compared with their digest,
/// and shares those that are open.
final class BlobReader: Sendable {
    private struct Weak: Sendable {
        weak let blob: OpenBlob?
    }

    /// Files remembered as compared, about 150 bytes each.
    private static let maxKnown = 10_000

    private let files: BlobFiles
    private let threads: IOThreads
    /// Bytes hashed to compare files with their digest.
    let verified = ReadCounter()
    /// Bytes read to be sent.
    let sent = ReadCounter()
    private let known = MemoryTier<Digest, FileStamp>(maxCost: maxKnown, maxCount: maxKnown)
    private let open = Mutex<[Digest: Weak]>([:])

    init(_ files: BlobFiles, _ threads: IOThreads) {
        self.files = files
        self.threads = threads
    }

    enum Opening {
        case open(OpenBlob)
        case missing
        /// Not what its name says; the inode where it could be seen.
        case damaged(inode: ino_t?)
    }

    /// Opens a blob, and compares all of it with the digest unless that was done since the file last
    /// changed. Blocks; reads a piece at a time.
    func open(_ digest: Digest) throws(StoreError) -> Opening {
        let path = files.layout.blob(digest)
        var inode: ino_t?
        do throws(Errno) {
            let file = try FileDescriptor(opening: path, O_RDONLY)
            let status = try file.status()
            inode = status.st_ino
            guard status.isRegular, status.st_size <= BlobFiles.maxBytes else {
                return .damaged(inode: inode)
            }
            let stamp = FileStamp(status)
            if let shared = open.withLock({ $0[digest]?.blob }), shared.stamp == stamp {
                return .open(shared)
            }
            guard try matches(file, stamp, digest) else { return .damaged(inode: inode) }
            let beginning = try file.read(min(stamp.size, OpenBlob.beginningCount), at: 0)
            let blob = OpenBlob(digest, file, stamp, beginning: beginning, threads, sent)
            keep(blob)
            return .open(blob)
        } catch {
            switch error.code {
            case ENOENT: return .missing
            // A symbolic link or a socket; a sector that the disk can't read any more.
            case ELOOP, ENXIO, EIO: return .damaged(inode: inode)
            default: throw files.layout.error(error, "read", path)
            }
        }
    }

    /// Size and first bytes, whatever they are; nil where there is no such file.
    func look(_ digest: Digest) throws(StoreError) -> (byteCount: Int, beginning: [UInt8])? {
        let path = files.layout.blob(digest)
        do throws(Errno) {
            let file = try FileDescriptor(opening: path, O_RDONLY)
            let status = try file.status()
            guard status.isRegular, status.st_size <= BlobFiles.maxBytes else { return nil }
            let size = Int(status.st_size)
            return (size, try file.read(min(size, OpenBlob.beginningCount), at: 0))
        } catch {
            switch error.code {
            // What can't be opened as a file is found damaged when its bytes are wanted.
            case ENOENT, ELOOP, ENXIO, EIO: return nil
            default: throw files.layout.error(error, "read", path)
            }
        }
    }

    /// Whether the bytes have the digest.
    private func matches(
        _ file: borrowing FileDescriptor, _ stamp: FileStamp, _ digest: Digest
    ) throws(Errno) -> Bool {
        if known.value(digest) == stamp { return true }
        known.remove(digest)
        // Before the first byte is read: what is changed after that must show.
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

    private func keep(_ blob: OpenBlob) {
        open.withLock { open in
            // Those that are closed go when there are as many as are open.
            if open.count >= 64, open.values.count(where: { $0.blob == nil }) > open.count / 2 {
                open = open.filter { $0.value.blob != nil }
            }
            open[blob.digest] = Weak(blob: blob)
        }
    }
}
