import Catalog
package import FoundationEssentials
package import Hashing
package import Imaging
import Memory
package import Store

/// Bytes of an original with their reservation in the budget.
typealias HeldBytes = (bytes: [UInt8], hold: ByteBudget.Hold?)

/// An original that can be rendered.
struct Original: Sendable {
    enum Provenance: String, Sendable {
        case fetched, revalidated, stored, stale
    }

    var digest: Digest
    /// Its bytes if they were just fetched. Otherwise its ``Origin`` has them.
    var held: HeldBytes?
    /// The record to store once the bytes have proved to be a picture.
    var record: OriginalRecord
    var provenance: Provenance
    /// Why a stale original could not be refreshed.
    var failure: Failure?
    /// What happened, for the trace.
    var note: String
    /// How long the origin took, without the wait for its turn; nil if it was not asked.
    var took: Duration?
    /// Bytes of the body that were transferred.
    var bytesFetched = 0
    /// Set if the bytes were just fetched. Holds the place that was taken for them.
    var visit: AdmissionQueue.Visit?
    /// Keeps other processes from fetching the URL until the record is stored.
    var claim: Claims.Claim?
    /// Whether nothing said where its bytes end, so that a part of them looks like all.
    var mayBeCut = false
    /// Whether it still has to be stored and recorded, at the latest with its thumbnails.
    var isUnstored = false
    /// Whether it has a record of its own beside that of the stored picture.
    var isBesideStored = false

    /// Its blob if it still has to be stored.
    var unstored: HashedBytes? {
        guard isUnstored, let held else { return nil }
        return HashedBytes(digest: digest, bytes: held.bytes)
    }

    /// The record of its URL as it is now; nil for a stale one, and for one with a record beside that.
    var ownRecord: OriginalRecord? { isBesideStored || provenance == .stale ? nil : record }
}

/// An original with the thumbnails that were rendered from it.
struct RenderedOriginal {
    var original: Original
    var wanted: Set<Rendition>
    /// Nil if all wanted thumbnails were stored.
    var rendering: Rendering?
    /// Wanted thumbnails that were stored.
    var reused: Int

    /// The bytes have proved to be a picture.
    mutating func describe(_ width: Int, _ height: Int, _ format: ImageFormat?) {
        (original.record.width, original.record.height) = (width, height)
        original.record.format = format?.rawValue ?? ""
    }
}

/// Where the original of an item comes from: hosts, by ``Originals``, or folders of this machine, by
/// ``FolderOriginals``.
protocol Origin: Sendable {
    /// Whether originals are files. Other nodes have other ones, and a changed file is another picture.
    var hasFiles: Bool { get }

    /// Returns the original at a candidate of an item.
    ///
    /// - Parameters:
    ///   - again: gets it although it is known, because its blob is gone.
    ///   - visit: takes a place for a download once its host allows it to start.
    /// - Throws: ``StoreError``, `CancellationError`.
    func acquire(
        _ candidate: Candidate, of item: Item, by source: any Source, again: Bool,
        visit: AdmissionQueue.Visit?
    ) async throws -> Acquisition

    /// Returns the bytes of an item's original; nil if its blob is gone, or its file has others now.
    func bytes(of original: Original, _ item: Item) async throws -> HeldBytes?

    /// Remembers that the original's bytes are not a usable picture. Also returns the usable
    /// original that was stored before, which stays.
    func reject(
        _ original: Original, of item: Item, reason: String
    ) async throws -> (failure: Failure, kept: Original?)
}

/// What became of an original that a miss asked for.
enum Acquisition: Sendable {
    case original(Original)
    /// `asked` is false if an earlier failure was remembered. `took` is as for an original.
    case failure(Failure, asked: Bool, took: Duration? = nil)

    /// Returns the failure of a blocked original in its place.
    func unlessBlocked(_ blocks: Blocks) -> Acquisition {
        guard case .original(let original) = self,
            let failure = blocks.failure(of: original.digest)
        else { return self }
        return .failure(failure, asked: false)
    }
}

/// A stored blob for a response.
package enum BlobContent: Sendable {
    /// An open blob that was compared with its digest.
    case open(OpenBlob)
    /// Only the size, for a response without a body. The bytes were not compared with the digest.
    case size(Int, format: ImageFormat?)

    package var byteCount: Int {
        switch self {
        case .open(let blob): blob.byteCount
        case .size(let count, _): count
        }
    }

    /// Detected from the first bytes; nil if it is unknown.
    package var format: ImageFormat? {
        switch self {
        case .open(let blob): ImageFormat.sniff(blob.beginning)
        case .size(_, let format): format
        }
    }
}

/// An original as the origin sent it, and how it was obtained.
package struct OriginalAnswer: Sendable {
    package var digest: Digest
    package var content: BlobContent
    package var fetchedAt: Date
    package var freshUntil: Date
    /// Whether only private caches may keep it.
    package var isPrivate: Bool
    package var outcome: CacheOutcome
    /// See ``FreshnessPolicy/wantsRefresh(_:_:at:)``.
    var wantsRefresh: Bool
}
