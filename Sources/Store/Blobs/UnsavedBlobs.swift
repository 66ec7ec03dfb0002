import Hashing
import Memory
import Synchronization

/// Keeps blobs in memory that the disk did not take. Above the bound, those that are used least are
/// dropped (``S3FIFO``). Any thread.
final class UnsavedBlobs: Sendable {
    /// Bytes per blob besides its content.
    private static let overhead = 256

    let policy: StorePolicy
    let reporter: StoreReporter
    let catchUp: CatchUp
    private let tier: MemoryTier<Digest, [UInt8]>
    /// Whether blobs are in memory.
    private let isSet = Atomic(false)
    /// While the disk takes nothing, only the retries write to it.
    private let isShut = Atomic(false)

    init(_ policy: StorePolicy) {
        self.policy = policy
        reporter = StoreReporter(policy)
        catchUp = CatchUp(policy)
        tier = MemoryTier(maxCost: policy.blobBytes, maxCount: 100_000)
    }

    var isBehind: Bool { isSet.load(ordering: .acquiring) }
    var isDiskShut: Bool { isShut.load(ordering: .acquiring) }
    var bytes: Int { tier.cost }
    var digests: [Digest] { tier.keys }

    func begin() { isSet.store(true, ordering: .releasing) }
    func end() { isSet.store(false, ordering: .releasing) }

    /// Notes why blobs were not written; nil if all that could be were.
    func note(_ failure: StoreError?) {
        isShut.store(failure?.isOfAllBlobs == true, ordering: .releasing)
        guard let failure else { return }
        reporter.note(failure.isOfAllBlobs ? .behind(failure) : .partlyBehind(failure))
    }

    func bytes(_ digest: Digest) -> [UInt8]? { isBehind ? tier.value(digest) : nil }
    func contains(_ digest: Digest) -> Bool { bytes(digest) != nil }
    func add(_ bytes: [UInt8], _ digest: Digest) {
        tier.insert(bytes, for: digest, cost: bytes.count + Self.overhead)
        // The retries may have ended meanwhile.
        begin()
    }
    func remove(_ digest: Digest) { tier.remove(digest) }
}
