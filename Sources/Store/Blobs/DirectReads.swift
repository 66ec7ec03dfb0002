import CLinux
import Glibc
import Hashing
import Memory
import Synchronization
import Threads

/// The outcome of reading a blob on the calling thread.
package enum DirectRead: Sendable {
    /// All bytes are there and match the digest. The stamp spares the next read the comparison; nil
    /// if the file was written too recently for that.
    case whole(FileStamp?)
    /// The thread would have to wait for the disk, or this system can't tell.
    case waits
    /// The file is missing, can't be read, or has other bytes. ``BlobStore/load(_:)`` finds
    /// out and quarantines it.
    case unusable
}

/// Reads blobs on the calling thread, which can be one that must not wait: the file is opened only if
/// its directories are in memory, and read only as far as it is in the page cache. Any thread.
///
/// The bytes are compared with the digest, unless that was done since the file last changed. Such files
/// stay open for the next read or response, those that are used often for longer (``MemoryTier``).
///
/// A file that is removed keeps its space on the disk while it is open. So a blob that this process
/// removes is closed at once, and ``sweep()`` closes those that other processes have removed.
final class DirectReads: Sendable {
    /// Sweeps without a look-up between them, after which all files are closed.
    static let idleSweeps = 5

    /// Path of the directory of blobs, with a slash.
    private let prefix: [CChar]
    private let threads: ThreadPool
    /// Bytes that were compared with their digests.
    private let verified: Counter
    /// Bytes that were read to be sent.
    private let sent: Counter
    private let files: MemoryTier<Digest, VerifiedFile>
    /// Files that are open at a time, those that are being sent included.
    private let openFiles: Room
    private let wasUsed = Atomic(false)
    private let unused = Counter()

    /// - Parameters:
    ///   - sent: counts the bytes that callers send, too.
    ///   - limit: of files that are open at a time.
    init(
        _ layout: StoreLayout, _ threads: ThreadPool, verified: Counter, sent: Counter,
        limit: Int
    ) {
        prefix = (layout.blobs + "/").utf8.map { CChar(bitPattern: $0) }
        self.threads = threads
        self.verified = verified
        self.sent = sent
        openFiles = Room(limit: limit)
        // Files that clients take slowly stay open after they were evicted.
        let kept = limit - limit / 4
        files = MemoryTier(maxCost: kept, maxCount: kept)
    }

    /// Files that are open now.
    var count: Int { openFiles.taken }

    /// Lends places of files to responses. If none is free, the files that are kept are closed, because it costs
    /// little to open them again.
    var lender: Room.Lender {
        Room.Lender(openFiles) { [files] in files.removeAll { _ in true } }
    }

    /// Returns the open file, which may have changed since it was compared.
    func file(_ digest: Digest) -> VerifiedFile? {
        // Only the first use writes, so that cores don't contend for the cache line.
        if !wasUsed.load(ordering: .relaxed) { wasUsed.store(true, ordering: .relaxed) }
        return files.value(digest)
    }

    /// Keeps a file whose bytes were compared with the digest when it had these attributes. Takes
    /// over the descriptor.
    func keep(_ descriptor: CInt, _ stamp: FileStamp, as digest: Digest) {
        let file = FileDescriptor(owning: descriptor)
        guard let hold = openFiles.take(1) else { return }
        files.insert(
            VerifiedFile(
                file, stamp, as: digest, keepsItsName: true, hold, threads,
                sent: sent),
            for: digest, cost: 1)
    }

    /// Closes the file once its last response is sent.
    func remove(_ digest: Digest) {
        // Closing a removed file frees its blocks, which takes time: not under the tier's locks.
        let file = files.value(digest)
        files.remove(digest)
        withExtendedLifetime(file) {}
    }

    /// Closes the files that have changed or lost their names, and all files of a service that is
    /// idle. One system call for each file.
    func sweep() {
        let wasUsed = wasUsed.exchange(false, ordering: .relaxed)
        unused.add(wasUsed ? -unused.value : 1)
        if unused.value >= Self.idleSweeps { return files.removeAll { _ in true } }
        for file in files.allValues where !file.isUnchanged { remove(file.digest) }
    }

    /// - Parameters:
    ///   - known: the file's attributes when it was last compared.
    ///   - bytes: has room for one byte more than the blob has.
    func read(
        _ digest: Digest, known: FileStamp?, into bytes: UnsafeMutableRawBufferPointer,
        mayWait: Bool
    ) -> DirectRead {
        if let outcome = readKept(digest, bytes, mayWait) { return outcome }
        let file = withPath(of: digest) { path in
            mayWait
                ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
                : vitrine_open_cached(path)
        }
        guard file >= 0 else {
            // Calls without waiting are new, and some sandboxes forbid them.
            return !mayWait && [EAGAIN, ENOSYS, EINVAL, EPERM].contains(errno) ? .waits : .unusable
        }
        let outcome = read(digest, known, file, bytes, mayWait)
        if case .whole(let stamp) = outcome {
            sent.add(bytes.count - 1)
            if let stamp {
                keep(file, stamp, as: digest)
                return outcome
            }
        }
        _ = vitrine_close(file)
        return outcome
    }

    /// Reads a file that is open already; nil if there is none, or it has changed.
    private func readKept(
        _ digest: Digest, _ bytes: UnsafeMutableRawBufferPointer, _ mayWait: Bool
    ) -> DirectRead? {
        guard let file = self.file(digest), file.byteCount == bytes.count - 1 else { return nil }
        let outcome = fill(bytes, from: file.descriptor, mayWait)
        if case .waits = outcome { return .waits }
        // Checked after reading, so that an earlier write shows in the times.
        guard case .whole = outcome, file.isUnchanged else {
            remove(digest)
            return nil
        }
        sent.add(file.byteCount)
        return .whole(file.stamp)
    }

    private func read(
        _ digest: Digest, _ known: FileStamp?, _ file: CInt,
        _ bytes: UnsafeMutableRawBufferPointer, _ mayWait: Bool
    ) -> DirectRead {
        if let known {
            switch fill(bytes, from: file, mayWait) {
            case .whole:
                // Checked after reading, so that an earlier write shows in the times.
                if stamp(file) == known { return .whole(known) }
            case .waits: return .waits
            case .unusable: break
            }
        }
        return compare(digest, file, bytes, mayWait)
    }

    /// Reads the bytes and compares them with the digest.
    private func compare(
        _ digest: Digest, _ file: CInt, _ bytes: UnsafeMutableRawBufferPointer, _ mayWait: Bool
    ) -> DirectRead {
        guard let before = stamp(file), before.size == bytes.count - 1 else { return .unusable }
        // Taken before the first byte is read, so that a later change shows.
        let isSettled = before.isSettled
        let outcome = fill(bytes, from: file, mayWait)
        guard case .whole = outcome else { return outcome }
        let read = UnsafeRawBufferPointer(rebasing: bytes.dropLast())
        verified.add(read.count)
        guard Digest(of: read) == digest, stamp(file) == before else { return .unusable }
        return .whole(isSettled ? before : nil)
    }

    /// Reads the whole file, which has one byte less than there is room for.
    private func fill(
        _ bytes: UnsafeMutableRawBufferPointer, from file: CInt, _ mayWait: Bool
    ) -> DirectRead {
        let wanted = bytes.count - 1
        var filled = 0
        repeat {
            let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[filled...])
            var got =
                mayWait
                ? pread(file, rest.baseAddress, rest.count, off_t(filled))
                : vitrine_read_cached(file, rest.baseAddress, rest.count)
            // Some filesystems, tmpfs among them, only tell what is in memory.
            if got < 0, !mayWait, errno == EOPNOTSUPP, vitrine_is_cached(file, 0, wanted) {
                got = pread(file, rest.baseAddress, rest.count, 0)
            }
            if got < 0, errno == EINTR { continue }
            if got < 0 {
                return !mayWait && [EAGAIN, EOPNOTSUPP].contains(errno) ? .waits : .unusable
            }
            filled += got
            if got == 0 { break }
        } while mayWait && filled < bytes.count
        if filled == wanted { return .whole(nil) }
        // Without waiting, what is not in the page cache is left out.
        return !mayWait && filled < wanted ? .waits : .unusable
    }

    private func stamp(_ file: CInt) -> FileStamp? {
        var status = stat()
        guard fstat(file, &status) == 0, status.isRegular else { return nil }
        return FileStamp(status)
    }

    /// Calls `body` with the blob's path: `…/ab/cd/<64 hex>`.
    private func withPath<Result>(
        of digest: Digest, _ body: (UnsafePointer<CChar>) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: prefix.count + 71) { path in
            _ = path.update(fromContentsOf: prefix)
            var end = prefix.count
            func append(_ byte: UInt8) {
                path[end] = CChar(bitPattern: byte)
                end += 1
            }
            func append(_ word: UInt64, from first: Int, to last: Int) {
                for place in first..<last {
                    let nibble = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * place)) & 15
                    append(
                        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10)
                }
            }
            let words = digest.words
            append(words.0, from: 0, to: 2)
            append(UInt8(ascii: "/"))
            append(words.0, from: 2, to: 4)
            append(UInt8(ascii: "/"))
            append(words.0, from: 0, to: 16)
            append(words.1, from: 0, to: 16)
            append(words.2, from: 0, to: 16)
            append(words.3, from: 0, to: 16)
            append(0)
            // An allocation is never empty.
            return path.baseAddress.map { body(UnsafePointer($0)) } ?? body("")
        }
    }
}
