import Catalog
import FoundationEssentials
import HTTPTypes
import HitServer
import Memory
import Pipeline
import Store
import Synchronization

/// A prepared response with a stored blob, and how long it is sent.
final class BlobHit: Sendable {
    enum Content: Sendable {
        /// For responses without a body.
        case none
        case bytes(BodyBuffer)
        case file(BlobFile)
    }

    /// What the response depends on besides the time.
    struct Mark: Equatable {
        var generation: Int
        /// The name under which an original is kept. A row of a list can show another one at any time.
        var kept: Item?
        /// Of that item.
        var epoch: UInt64?
    }

    /// Bytes that it takes besides its body: header lines, keys, entries of tables.
    private static let overhead = 4_096

    let target: BlobTarget
    let name: Fingerprint
    let item: Item?
    let mark: Mark
    private let prepared: PreparedHit
    private let file: BlobFile?
    private let isStale: Bool
    private let madeAt: Date
    private let isRenewed = Atomic(false)
    let hasBody: Bool

    init(
        _ fields: HTTPFields, _ content: Content, byteCount: Int, _ target: BlobTarget,
        _ name: Fingerprint, _ item: Item?, _ mark: Mark, madeAt: Date
    ) {
        self.target = target
        self.name = name
        self.item = item
        self.mark = mark
        self.madeAt = madeAt
        isStale = RequestMetrics.cache(fields[.cacheStatus]) == "stale"
        var body = UnsafeRawBufferPointer(start: nil, count: 0)
        var owner: any AnyObject & Sendable = NoBody.only
        switch content {
        case .none: (file, hasBody) = (nil, false)
        case .bytes(let bytes):
            (file, hasBody) = (nil, true)
            (body, owner) = (bytes.view, bytes)
        case .file(let open): (file, hasBody) = (open, true)
        }
        prepared = PreparedHit(
            target.hitRoute, body: body, file: file, byteCount: byteCount, owner: owner,
            entityTag: Array((fields[.eTag] ?? "").utf8),
            lastModified: Array((fields[.lastModified] ?? "").utf8),
            fields: FieldLines(fields))
    }

    var hasFile: Bool { file != nil }
    /// Bytes in memory.
    var cost: Int { prepared.body.count + Self.overhead }
    var isUnchanged: Bool { file?.isUnchanged ?? true }

    var offer: HitOffer {
        HitOffer(record: self, prepared: prepared, isNegotiated: false, expires: nil)
    }

    var freshness: HitFreshness { HitFreshness(isStale: isStale, secondsLeft: 0) }

    /// Returns the seconds since it was made; infinite if the clock was set back since.
    func age(at now: Date) -> Double {
        let age = now.timeIntervalSince(madeAt)
        return age >= 0 ? age : .infinity
    }

    /// Returns true for the first caller, which makes the successor.
    func renews() -> Bool {
        isRenewed.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
    }
}

/// The open file of a blob that the kernel sends.
final class BlobFile: HitFile {
    let descriptor: CInt
    private let blob: OpenBlob

    /// - Parameter descriptor: of the blob.
    init(_ blob: OpenBlob, _ descriptor: CInt) {
        self.blob = blob
        self.descriptor = descriptor
    }

    var isUnchanged: Bool { blob.isUnchanged }

    func fetch(_ range: Range<Int>, _ onEnd: @escaping @Sendable () -> Void) {
        blob.fetch(range, onEnd)
    }

    func countSent(_ bytes: Int) { blob.countSent(bytes) }
}
