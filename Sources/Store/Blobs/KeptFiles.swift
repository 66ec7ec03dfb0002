import Glibc
import Hashing
import Memory
import Synchronization
import Threads

/// The files of blobs that are open for the next read or response. Those that are used often stay
/// (``MemoryTier``). Any thread.
///
/// A file that is removed keeps its space on the disk while it is open. So a blob that this process
/// removes is closed at once, and ``sweep()`` closes those that other processes have removed.
final class KeptFiles: Sendable {
    /// Sweeps without a look-up between them, after which all files are closed.
    static let idleSweeps = 60

    private let files: MemoryTier<Digest, VerifiedFile>
    private let threads: ThreadPool
    private let sent: Counter
    /// Files that are open at a time, those that are being sent included.
    private let open: Room
    private let wasUsed = Atomic(false)
    private let unused = Counter()

    /// - Parameters:
    ///   - sent: counts the bytes that callers send.
    ///   - limit: of files that are open at a time.
    init(_ threads: ThreadPool, sent: Counter, limit: Int) {
        self.threads = threads
        self.sent = sent
        open = Room(limit: limit)
        // Files that clients take slowly stay open after they were evicted.
        let kept = limit - limit / 4
        files = MemoryTier(maxCost: kept, maxCount: kept)
    }

    /// Files that are open now.
    var count: Int { open.taken }

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
        guard let hold = open.take(1) else { return }
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
}
