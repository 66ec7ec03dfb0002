package import Catalog
package import FoundationEssentials
package import Imaging
package import Store
import Synchronization

/// What a contact sheet shows, and where.
package struct SheetPlan: Sendable {
    package struct Tile: Sendable, Equatable {
        package var item: Item
        package var frame: SheetLayout.Frame
        package var isPlaceholder: Bool
        /// Of the thumbnail.
        package var digest: Digest
        /// Why the placeholder is shown.
        var failure: Failure?
    }

    package var layout: SheetLayout
    package var tiles: [Tile]
    /// When the least fresh of them ends to be.
    package var freshUntil: Date
    /// Whether one of them is past its freshness.
    package var isStale: Bool
    /// Whether one of them was made for it.
    package var wasMade: Bool
}

/// A contact sheet as it is served.
package struct SheetAnswer: Sendable {
    package var plan: SheetPlan
    package var digest: Digest
    package var bytes: [UInt8]
    package var renderedAt: Date
    package var outcome: CacheOutcome
}

/// Which sheet: equal orders under way are joined.
struct SheetOrder: Hashable, Sendable {
    var items: [Item]
    var rendition: Rendition
}

/// Sheets under way.
final class Sheets: Sendable {
    typealias Landed = Result<SheetAnswer, PipelineError>

    /// Pictures of one sheet that are made at once: most of them come from one host.
    static let concurrency = 16
    /// Sheets drawn or waiting for that, each with the bytes of its thumbnails; one more is refused.
    private static let drawingLimit = 8

    let inFlight = InFlight<SheetOrder, Void, Landed> { _, _ in true }
    private let drawing = Mutex(0)

    /// Draws, unless too many are drawn already.
    func bounded<Value>(_ draw: () async throws -> Value) async throws -> Value {
        let isFull = drawing.withLock { count in
            if count == Self.drawingLimit { return true }
            count += 1
            return false
        }
        if isFull { throw PipelineError.overloaded(retryAfter: 1) }
        defer { drawing.withLock { $0 -= 1 } }
        return try await draw()
    }
}
