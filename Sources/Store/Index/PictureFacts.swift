package import FoundationEssentials
import GRDB
package import Hashing

/// What is known of a thumbnail wherever it stands: in a row, in memory, or in the table of pictures on
/// disk. 56 bytes without pointers.
package struct PictureFacts: Sendable, Equatable, BitwiseCopyable {
    /// Of the blob with its bytes.
    package var digest: Digest
    package var byteCount: Int
    /// Seconds since 2001, because a `Date` is not `BitwiseCopyable`.
    private var rendered: Double
    private let columns: Int32
    private let rows: Int32

    /// - Parameter renderedAt: stored as whole seconds.
    package init(
        digest: Digest, byteCount: Int, width: Int, height: Int, renderedAt: Date
    ) {
        self.digest = digest
        self.byteCount = byteCount
        rendered = renderedAt.timeIntervalSinceReferenceDate
        columns = Int32(clamping: width)
        rows = Int32(clamping: height)
    }

    package var width: Int { Int(columns) }
    package var height: Int { Int(rows) }

    package var renderedAt: Date {
        get { Date(timeIntervalSinceReferenceDate: rendered) }
        set { rendered = newValue.timeIntervalSinceReferenceDate }
    }
}

extension IndexRows {
    /// The columns that ``RowColumns/nextFacts()`` reads.
    static let factColumns = """
        thumbnails.digest, thumbnails.byteCount, thumbnails.width, thumbnails.height,
            thumbnails.renderedAt
        """

    /// Returns the values of these columns.
    static func factValues(
        _ facts: PictureFacts
    ) throws -> [(any DatabaseValueConvertible)?] {
        [
            facts.digest.data, facts.byteCount, facts.width, facts.height,
            try seconds(facts.renderedAt),
        ]
    }
}

extension RowColumns {
    mutating func nextFacts() throws -> PictureFacts {
        try nextFacts(of: try nextDigest())
    }

    /// Returns nil if a row has no thumbnail.
    mutating func nextFactsIfAny() throws -> PictureFacts? {
        guard let digest = try nextDigestIfAny() else { return nil }
        return try nextFacts(of: digest)
    }

    private mutating func nextFacts(of digest: Digest) throws -> PictureFacts {
        let byteCount = try nextByteCount()
        let (width, height) = try nextSize()
        return PictureFacts(
            digest: digest, byteCount: byteCount, width: width, height: height,
            renderedAt: try nextDate())
    }
}
