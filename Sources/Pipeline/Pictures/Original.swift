import Catalog
import Hashing
import Imaging
import Memory
import Store

/// An original that can be rendered.
struct Original: Sendable {
    enum Provenance: String, Sendable {
        case fetched, revalidated, stored, stale
    }

    var digest: Digest
    /// Its bytes if they were just fetched. Otherwise they are only in the blob store.
    var bytes: [UInt8]?
    /// The bytes' reservation in the budget.
    var hold: ByteBudget.Hold?
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
    /// Set until it is stored and recorded, at the latest with its thumbnails.
    var unstored: HashedBytes?
    /// Whether it has a record of its own beside that of the stored picture.
    var isBesideStored = false
    /// Reads the bytes of an original that the blob store doesn't have; nil if they are others now.
    var read: (@Sendable () async throws -> (bytes: [UInt8], hold: ByteBudget.Hold?)?)?

    /// The record of its URL as it is now; nil for a stale one, and for one with a record beside that.
    var ownRecord: OriginalRecord? { isBesideStored || provenance == .stale ? nil : record }
}

/// An original with the thumbnails that were rendered from it.
struct RenderedOriginal {
    var original: Original
    /// Of the original, with its size and format.
    var record: OriginalRecord
    var wanted: Set<Rendition>
    /// Nil if all wanted thumbnails were stored.
    var rendering: Rendering?
    /// Wanted thumbnails that were stored.
    var reused: Int
}
