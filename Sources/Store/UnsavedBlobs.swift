import Synchronization

/// Blobs that the disk did not take, in memory until it does; the least recently used go first. Any
/// thread.
final class UnsavedBlobs: Sendable {
    /// Bytes that a blob takes besides its own.
    private static let overhead = 256

    let policy: StorePolicy
    let reporter: StoreReporter
    let catchUp: CatchUp
    private let tier: MemoryTier<Digest, [UInt8]>
    /// While it is set, the disk is left to the attempts to catch up.
    private let isSet = Atomic(false)

    init(_ policy: StorePolicy) {
        self.policy = policy
        reporter = StoreReporter(policy)
        catchUp = CatchUp(policy)
        tier = MemoryTier(maxCost: policy.blobBytes, maxCount: 100_000)
    }

    var isBehind: Bool { isSet.load(ordering: .acquiring) }
    var bytes: Int { tier.cost }
    var digests: [Digest] { tier.keys }

    func begin() { isSet.store(true, ordering: .releasing) }
    func end() { isSet.store(false, ordering: .releasing) }

    func bytes(_ digest: Digest) -> [UInt8]? { isBehind ? tier.value(digest) : nil }
    func contains(_ digest: Digest) -> Bool { bytes(digest) != nil }
    func add(_ bytes: [UInt8], _ digest: Digest) {
        tier.insert(bytes, for: digest, cost: bytes.count + Self.overhead)
        // The attempts to catch up may have ended meanwhile.
        begin()
    }
    func remove(_ digest: Digest) { tier.remove(digest) }
}

extension BlobStore {
    /// Puts the bytes, or holds them in memory until the disk takes them; then a crash loses them, and
    /// what doesn't fit goes. Without a policy for that it is ``put(_:)``.
    package func keep(_ bytes: [UInt8]) async throws(StoreError) -> Digest {
        guard unsaved.policy.goesOn else { return try await put(bytes) }
        if !unsaved.isBehind {
            do throws(StoreError) {
                return try await put(bytes)
            } catch {
                unsaved.reporter.note(.behind(error))
                unsaved.begin()
            }
        }
        let digest = await threads.run { Digest(of: bytes) }
        unsaved.add(bytes, digest)
        unsaved.catchUp.start { [weak self] in await self?.saveWaiting() ?? true }
        return digest
    }

    /// How the blobs stand.
    package var status: StoreStatus {
        var status = unsaved.reporter.status
        status.unsavedBytes = unsaved.bytes
        return status
    }

    /// Whether nothing waits for the disk any more.
    private func saveWaiting() async -> Bool {
        guard unsaved.isBehind else { return true }
        let failure = await threads.run { [files, unsaved] () -> StoreError? in
            do throws(StoreError) {
                try files.layout.trying("make", files.layout.tree) { () throws(Errno) in
                    try files.layout.makeTree()
                }
                for digest in unsaved.digests {
                    guard let bytes = unsaved.bytes(digest) else { continue }
                    _ = try files.put(bytes)
                    unsaved.remove(digest)
                }
                return nil
            } catch {
                return error
            }
        }
        if let failure {
            unsaved.reporter.note(.behind(failure))
            return false
        }
        unsaved.end()
        // What was added between the last look and the end is only found while it is behind.
        if unsaved.bytes > 0 {
            unsaved.begin()
            return false
        }
        unsaved.reporter.note(.caughtUp)
        return true
    }

    func readable<Value: Sendable>(
        or nothing: Value, _ read: @escaping @Sendable () throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        do throws(StoreError) {
            return try await threads.run(read)
        } catch {
            guard unsaved.policy.goesOn else { throw error }
            unsaved.reporter.note(.unreadable(error))
            return nothing
        }
    }
}
