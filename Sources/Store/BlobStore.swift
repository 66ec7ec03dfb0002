/// Blobs on disk under their digest.
///
/// All methods do their I/O on the store's own threads and suspend the caller; a cancelled task gets
/// its answer all the same. Several stores, also of several processes, can share a root.
///
/// Nothing is synced to the disk: what was put survives the death of the process, not a power cut. A
/// blob that a power cut left empty or half written doesn't match its name and is never served.
package final class BlobStore: Sendable {
    let files: BlobFiles
    let threads: IOThreads
    private let reader: BlobReader
    /// How many staging files of dead processes were swept when the store was opened.
    package let swept: Int
    /// Blobs that the disk did not take.
    let unsaved: UnsavedBlobs

    /// Opens, or creates, the tree under `root`, and sweeps staging files that a crash left, unless
    /// a living process owns them. Blocks for a few system calls. Anonymous staging gives way to
    /// the named kind by itself where the filesystem doesn't support it.
    ///
    /// Where the policy holds blobs in memory, a tree that can't be written is no error.
    package init(
        root: String, staging: StagingMethod = .anonymous, policy: StorePolicy = StorePolicy()
    ) throws(StoreError) {
        let layout = try StoreLayout(opening: root, policy)
        files = BlobFiles(layout: layout, staging: staging)
        threads = IOThreads()
        reader = BlobReader(files, threads)
        unsaved = UnsavedBlobs(policy)
        do throws(StoreError) {
            swept = try StagingSweep(layout: layout).strays(removing: true).count
        } catch {
            guard policy.goesOn else { throw error }
            // They are swept at the next start.
            swept = 0
        }
    }

    /// Hashes while writing to a staging file, then publishes it atomically; a blob that is there
    /// already is left alone, if its size is right (its bytes are the next load's question; one of
    /// another size is quarantined and replaced). After it returns, the blob survives `kill -9`. On a full disk it throws
    /// and nothing is published.
    package func put(_ bytes: [UInt8]) async throws(StoreError) -> Digest {
        try await threads.run { [files] () throws(StoreError) in try files.put(bytes) }
    }

    /// The verified bytes, or `nil` where there is no such blob. One whose bytes don't match its
    /// name is moved to quarantine first, and then there is none.
    ///
    /// Where answers go on without the disk, one that can't be read counts as missing.
    package func load(_ digest: Digest) async throws(StoreError) -> [UInt8]? {
        if let bytes = unsaved.bytes(digest) { return bytes }
        return try await readable(or: nil) { [files] () throws(StoreError) in
            try files.load(digest)
        }
    }

    /// The blob to be read in parts from its file, or `nil` where there is none. Its bytes are compared
    /// with the digest first, unless they were since the file last changed; one that doesn't match is
    /// quarantined, and then there is none. Takes no memory that grows with the blob.
    package func open(_ digest: Digest) async throws(StoreError) -> OpenBlob? {
        if let bytes = unsaved.bytes(digest) {
            return OpenBlob(digest, held: bytes, threads, reader.sent)
        }
        return try await readable(or: nil) { [files, reader] () throws(StoreError) in
            switch try reader.open(digest) {
            case .open(let blob): return blob
            case .missing: return nil
            case .damaged(let inode):
                try files.quarantine.take(files.layout.blob(digest), inode: inode)
                return nil
            }
        }
    }

    /// The size of the blob's file in bytes, or `nil` where there is none; reads no byte of it.
    package func byteCount(_ digest: Digest) async throws(StoreError) -> Int? {
        if let bytes = unsaved.bytes(digest) { return bytes.count }
        return try await readable(or: nil) { [files] () throws(StoreError) in
            try files.byteCount(digest)
        }
    }

    /// Size and first bytes of the blob's file as they are, not compared with the digest; `nil` where
    /// there is none. For a response without a body.
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

    /// Bytes read since the store was opened: to compare opened blobs with their digests, and out of
    /// those to be sent.
    package var bytesRead: (verified: Int, sent: Int) {
        (reader.verified.value, reader.sent.value)
    }

    /// Whether the blob is there, by name only.
    package func contains(_ digest: Digest) async throws(StoreError) -> Bool {
        if unsaved.contains(digest) { return true }
        return try await readable(or: false) { [files] () throws(StoreError) in
            try files.contains(digest)
        }
    }

    /// The digests of those that aren't there, by name only; for many at once.
    func missing(among digests: [Digest]) async throws(StoreError) -> [Digest] {
        try await threads.run { [files] () throws(StoreError) in
            var missing: [Digest] = []
            for digest in digests where try !files.contains(digest) { missing.append(digest) }
            return missing
        }
    }

    /// Files found damaged and taken out of the way since the store was opened.
    package var healed: Int { files.quarantine.taken.value }

    /// Removing what isn't there is no error; nor is, where answers go on without the disk, one that
    /// can't be removed.
    package func remove(_ digest: Digest) async throws(StoreError) {
        unsaved.remove(digest)
        try await readable(or: ()) { [files] () throws(StoreError) in try files.remove(digest) }
    }
}
