package import FoundationEssentials
package import Hashing
package import Memory
import Synchronization
import Threads

/// Blobs on disk under their digest.
///
/// All methods do their I/O on the store's own threads and suspend the caller; a canceled task
/// still gets its result. Several stores and processes can share a root.
///
/// Unless the policy says otherwise, nothing is synced to the disk: blobs survive the death of the
/// process, but not always a power cut. A blob that a power cut left incomplete doesn't match its
/// name and is never served.
package final class BlobStore: Sendable {
    let files: BlobFiles
    let threads: ThreadPool
    private let reader: BlobReader
    let direct: DirectReads
    /// The number of staging files of dead processes that were removed when the store was opened.
    package let swept: Int
    /// Blobs in memory that are not on disk yet.
    let unsaved: UnsavedBlobs
    /// When blobs were used last.
    let uses: LastUses
    /// Returns seconds since 1970.
    let now: @Sendable () -> Int
    private let roomMaker = Mutex<RoomMaker?>(nil)
    private let fileWait: Duration

    /// Frees that much. Returns whether it is worth trying again.
    typealias RoomMaker = @Sendable (_ need: DiskUsage) async -> Bool
    /// How often a put makes room before it fails. Others may take the room first.
    private static let maxRounds = 32

    /// Threads that open files. Reads mostly need the processor for hashing and on a cold disk wait
    /// for the disk, so there are more threads than cores, up to a limit.
    package static let threadCount = min(max(4, 2 * MachineProcessors.count()), 32)

    /// Opens or creates the tree under `root` and removes staging files of dead processes. Blocks
    /// for a few system calls. Falls back to named staging if the filesystem doesn't support the
    /// anonymous kind.
    ///
    /// If the policy allows to work from memory, a tree that isn't writable is not an error.
    package init(
        root: String, staging: StagingMethod = .anonymous, policy: StorePolicy = StorePolicy(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws(StoreError) {
        let layout = try StoreLayout(opening: root, policy)
        self.now = { Int(now().timeIntervalSince1970) }
        files = BlobFiles(layout: layout, staging: staging, policy)
        threads = ThreadPool("store-blobs", count: Self.threadCount)
        reader = BlobReader(files, threads, openFiles: Room(limit: policy.responseFiles))
        direct = DirectReads(
            layout, threads, verified: reader.verified, sent: reader.sent,
            limit: policy.keptFiles)
        reader.openFiles.borrow(from: direct.lender)
        fileWait = policy.fileWait
        unsaved = UnsavedBlobs(policy)
        uses = LastUses(layout, blobs: policy.limits.expectedBlobs)
        do throws(StoreError) {
            swept = try StagingFile.strays(in: layout, removing: true).count
        } catch {
            guard policy.worksFromMemory else { throw error }
            // They are removed at the next start.
            swept = 0
        }
    }

    /// Hashes the bytes, writes them to a staging file, then publishes it atomically. An existing blob
    /// stays if its size is right; otherwise it is quarantined and replaced. After the return the
    /// blob survives `kill -9`, or a power cut if the policy says so. On a full disk it throws and
    /// nothing is published.
    ///
    /// If the limits are reached, other blobs are evicted first.
    package func put(_ bytes: [UInt8]) async throws(StoreError) -> Digest {
        let (digest, put) = await threads.run { [files] in
            let blob = HashedBytes(bytes)
            return (blob.digest, files.put([blob]))
        }
        if let error = await self.put(put.left, after: put.error).error { throw error }
        return digest
    }

    /// Does the same with several blobs in one visit of a thread. After an error some of them are
    /// stored: all that can be if it is of one file.
    package func put(_ blobs: [HashedBytes]) async throws(StoreError) {
        let put = await threads.run { [files] in files.put(blobs) }
        if let error = await self.put(put.left, after: put.error).error { throw error }
    }

    /// Makes room, and tries again. Returns the blobs that are not stored, and why.
    private func put(
        _ left: [HashedBytes], after error: StoreError?
    ) async -> (left: [HashedBytes], error: StoreError?) {
        var (left, error) = (left, error)
        for _ in 0..<Self.maxRounds {
            guard case .overBudget(_, let need) = error,
                let makeRoom = roomMaker.withLock({ $0 }), await makeRoom(need)
            else { break }
            (left, error) = await threads.run { [files, left] in files.put(left) }
        }
        return (left, error)
    }

    /// Sets what frees space when the limits are reached.
    func onLimit(_ makeRoom: @escaping RoomMaker) { roomMaker.withLock { $0 = makeRoom } }

    /// Returns the verified bytes, or nil if the blob is missing. A blob whose bytes don't match
    /// its name is quarantined and counts as missing.
    ///
    /// If the policy allows to work from memory, an unreadable blob counts as missing.
    package func load(_ digest: Digest) async throws(StoreError) -> [UInt8]? {
        if let bytes = unsaved.bytes(digest) { return bytes }
        uses.touch(digest, at: now())
        return try await readable(or: nil) { [files] () throws(StoreError) in
            try files.healed(digest, files.read(digest))
        }
    }

    /// Opens a blob for reading in parts; nil if it is missing. Its bytes are verified first,
    /// unless that was done since the file last changed. A blob that doesn't match is quarantined
    /// and counts as missing. Memory use doesn't depend on the blob's size.
    ///
    /// - Throws: ``StoreError/tooManyFiles`` if responses have as many files open as they may, after
    ///   ``StorePolicy/fileWait``.
    package func open(_ digest: Digest) async throws(StoreError) -> OpenBlob? {
        if let bytes = unsaved.bytes(digest) {
            return OpenBlob(digest, held: bytes, threads, reader.sent)
        }
        uses.touch(digest, at: now())
        do throws(StoreError) {
            return try await open(digest, nil)
        } catch {
            guard error == .tooManyFiles else { throw error }
            return try await open(digest, reserveFile())
        }
    }

    /// - Parameter hold: of the file, if that was counted already.
    private func open(
        _ digest: Digest, _ hold: Room.Hold?
    ) async throws(StoreError) -> OpenBlob? {
        try await readable(or: nil) { [files, reader] () throws(StoreError) in
            try files.healed(digest, reader.open(digest, hold))
        }
    }

    /// Counts a file that is opened for a response, before it is opened.
    ///
    /// - Throws: ``StoreError/tooManyFiles`` if responses have as many files open as they may, after
    ///   ``StorePolicy/fileWait``.
    package func reserveFile() async throws(StoreError) -> Room.Hold {
        guard let hold = await reader.openFiles.take(within: fileWait) else { throw .tooManyFiles }
        return hold
    }

    /// Returns an open file of another place as if it were a blob; nil if it isn't as long. The caller
    /// has compared it with the digest. The descriptor is duplicated, unless readers share the file
    /// already.
    ///
    /// - Parameter hold: of the descriptor, which the caller closes soon.
    package func adopt(
        _ descriptor: CInt, as digest: Digest, byteCount: Int, _ hold: Room.Hold
    ) async throws(StoreError) -> OpenBlob? {
        try await threads.run { [reader] () throws(StoreError) in
            try reader.adopt(descriptor, as: digest, byteCount: byteCount, hold)
        }
    }

    /// Reads a blob into `bytes` on the calling thread. See ``DirectReads``.
    ///
    /// - Parameters:
    ///   - known: the file's attributes when its bytes were last compared with the digest.
    ///   - bytes: has room for one byte more than the blob has.
    ///   - mayWait: whether the thread may wait for the disk.
    package func read(
        _ digest: Digest, known: FileStamp?, into bytes: UnsafeMutableRawBufferPointer,
        mayWait: Bool
    ) -> DirectRead {
        uses.touch(digest, at: now())
        return direct.read(digest, known: known, into: bytes, mayWait: mayWait)
    }

    /// Returns the open file of a blob that was read on the calling thread before, for callers that
    /// let the kernel send it; nil if none is kept, or it has changed. Counts a use of the blob.
    package func keptFile(_ digest: Digest) -> VerifiedFile? {
        guard let file = direct.file(digest) else { return nil }
        guard file.isUnchanged else {
            direct.remove(digest)
            return nil
        }
        uses.touch(digest, at: now())
        return file
    }

    /// Lets responses open more files than their limit, as long as others lend them.
    package func lendFiles(_ lender: Room.Lender) { reader.openFiles.borrow(from: lender) }

    /// Files that are open: because a response is sent from them, and for the next response.
    package var openFiles: (responses: Int, kept: Int) { (reader.openFiles.taken, direct.count) }

    /// Responses that wait for a file.
    package var waitingForFiles: Int { reader.openFiles.waitingCount }

    /// Files that responses may open at a time, besides those that others lend.
    package var responseFilesLimit: Int { reader.openFiles.limit }

    /// Closes the files of blobs that other processes have removed or replaced, on one of the store's
    /// threads.
    package func closeRemovedFiles() {
        threads.start { [direct] in
            direct.sweep()
            StateChange.tell()
        }
    }

    /// Runs tasks on the store's threads. What such a task asks of the store runs without a change of
    /// threads.
    package var executor: any TaskExecutor { threads }

    /// Runs `work`, which may wait for the disk, on one of the store's threads.
    package func onThread(_ work: @escaping @Sendable () -> Void) { threads.start(work) }

    /// Counts a use of a blob that is not read for it. Any thread; never blocks.
    package func touch(_ digest: Digest) { uses.touch(digest, at: now()) }

    /// Returns the size of the blob's file in bytes without reading it; nil if it is missing.
    package func byteCount(_ digest: Digest) async throws(StoreError) -> Int? {
        if let bytes = unsaved.bytes(digest) { return bytes.count }
        return try await readable(or: nil) { [files] () throws(StoreError) in
            try files.byteCount(digest)
        }
    }

    /// Returns the size and first bytes of the blob's file without verifying them; nil if there is
    /// none. For a response without a body.
    package func look(
        _ digest: Digest
    ) async throws(StoreError) -> (byteCount: Int, beginning: [UInt8])? {
        if let bytes = unsaved.bytes(digest) {
            return (bytes.count, Array(bytes.prefix(OpenBlob.beginningCount)))
        }
        return try await readable(or: nil) { [reader] () throws(StoreError) in
            try reader.look(digest)
        }
    }

    /// Bytes read since the store was opened: to verify opened blobs, and to send them.
    package var bytesRead: (verified: Int, sent: Int) {
        (reader.verified.value, reader.sent.value)
    }

    /// Returns whether a file has the blob's name.
    package func contains(_ digest: Digest) async throws(StoreError) -> Bool {
        if unsaved.contains(digest) { return true }
        return try await readable(or: false) { [files] () throws(StoreError) in
            try files.contains(digest)
        }
    }

    /// Returns whether a blob is only in memory. Any thread; never blocks.
    package func isUnsaved(_ digest: Digest) -> Bool { unsaved.contains(digest) }

    /// Returns the digests for which no file exists, in order.
    func missing(among digests: Set<Digest>) async throws(StoreError) -> [Digest] {
        digests.subtracting(try await present(digests)).sorted()
    }

    /// Reads a blob and returns whether its bytes match its name; nil if it is missing.
    ///
    /// - Parameter repairing: whether one that doesn't is quarantined.
    func isSound(_ digest: Digest, repairing: Bool) async throws(StoreError) -> Bool? {
        try await threads.run { [files] () throws(StoreError) in
            let found = try files.read(digest)
            if case .missing = found { return nil }
            if case .whole = found { return true }
            if repairing { _ = try files.healed(digest, found) }
            return false
        }
    }

    /// Returns which of the digests have a file, or may have one where nothing can be looked at.
    func present(_ digests: Set<Digest>) async throws(StoreError) -> Set<Digest> {
        if digests.isEmpty { return [] }
        return try await threads.run { [files] () throws(StoreError) in
            var present: Set<Digest> = []
            for digest in digests {
                do throws(StoreError) {
                    if try files.contains(digest) { present.insert(digest) }
                } catch {
                    guard error.isOfOneFile else { throw error }
                    present.insert(digest)
                }
            }
            return present
        }
    }

    /// Returns whether the index was replaced lately. It may lack the rows of the one before, which
    /// are being copied.
    func isIndexNew() async throws(StoreError) -> Bool {
        try await threads.run { [now, layout = files.layout] () throws(StoreError) in
            try SetAside(layout: layout).isRecentForIndex(at: now())
        }
    }

    /// Returns whether rows of a replaced index are still being copied, so that nothing says which
    /// of its blobs are pinned or in use.
    func awaitsRows() async -> Bool {
        await threads.run { [now, layout = files.layout] in
            SetAside(layout: layout).unsalvaged(layout.database, at: now()) != nil
        }
    }

    /// Damaged files that were quarantined since the store was opened.
    package var healed: Int { files.quarantine.taken.value }

    /// Removes a blob. Returns false if its file can't be removed, which the store reports. A missing blob is
    /// removed.
    @discardableResult
    package func remove(_ digest: Digest) async throws(StoreError) -> Bool {
        unsaved.remove(digest)
        do throws(StoreError) {
            try await threads.run { [files, direct] () throws(StoreError) in
                // Afterwards, so that a response under way doesn't keep the file again.
                defer { direct.remove(digest) }
                try files.remove(digest)
            }
            return true
        } catch {
            guard error.isOfOneFile || unsaved.policy.worksFromMemory, error != .tooManyFiles else {
                throw error
            }
            unsaved.reporter.note(.unremoved(error))
            return false
        }
    }

    /// Puts the bytes, or keeps them in memory until the disk takes them. A blob whose own file or directory
    /// can't be written keeps no other from the disk. A crash loses blobs in memory, and those that are used
    /// least are dropped if they don't fit. Without a policy for that it is ``put(_:)``.
    package func keep(_ bytes: [UInt8]) async throws(StoreError) -> Digest {
        let blob = await threads.run { HashedBytes(bytes) }
        try await keep([blob])
        return blob.digest
    }

    /// Does the same with several blobs.
    package func keep(_ blobs: [HashedBytes]) async throws(StoreError) {
        guard unsaved.policy.worksFromMemory else { return try await put(blobs) }
        var left = blobs
        if !unsaved.isDiskShut {
            let put = await threads.run { [files] in files.put(blobs) }
            let (rest, error) = await self.put(put.left, after: put.error)
            guard let error else { return }
            left = rest
            unsaved.note(error)
        }
        for blob in left { unsaved.add(blob.bytes, blob.digest) }
        unsaved.catchUp.start { [weak self] in await self?.saveWaiting() ?? true }
    }

    /// The state of the blobs.
    package var status: StoreStatus {
        var status = unsaved.reporter.status
        status.unsavedBytes = unsaved.bytes
        return status
    }

    /// Writes what is in memory to the disk. Returns whether nothing is left.
    private func saveWaiting() async -> Bool {
        guard unsaved.isBehind else { return true }
        let failure = await threads.run { [files, unsaved] () -> StoreError? in
            // What can't be made shows when a blob is written.
            _ = Errno.optional { () throws(Errno) in try files.layout.makeTree() }
            var refusal: StoreError?
            for digest in unsaved.digests {
                guard let bytes = unsaved.bytes(digest) else { continue }
                if let failure = files.put([HashedBytes(digest: digest, bytes: bytes)]).error {
                    if failure.isOfAllBlobs { return failure }
                    refusal = refusal ?? failure
                } else {
                    unsaved.remove(digest)
                }
            }
            return refusal
        }
        unsaved.note(failure)
        if failure != nil { return false }
        unsaved.end()
        // Blobs that were added since the last check are only found while it is behind.
        if unsaved.bytes > 0 {
            unsaved.begin()
            return false
        }
        unsaved.reporter.note(.caughtUp)
        return true
    }

    private func readable<Value: Sendable>(
        or nothing: Value, _ read: @escaping @Sendable () throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        do throws(StoreError) {
            return try await threads.run(read)
        } catch {
            // A file that can't be opened now isn't missing.
            guard unsaved.policy.worksFromMemory, error != .tooManyFiles else { throw error }
            unsaved.reporter.note(.unreadable(error))
            return nothing
        }
    }
}
