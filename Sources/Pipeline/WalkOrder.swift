import Imaging

/// What callers want of one item. Newcomers may widen it up to the step in question.
struct WalkOrder: Sendable {
    enum Stage: Sendable {
        case open
        /// The candidates are ordered for a width.
        case chosen
        /// The renditions are handed to the renderer.
        case rendering
    }

    var renditions: Set<Rendition>
    /// In pixels; the candidate should cover it.
    var width: Int
    var stage = Stage.open

    init(_ renditions: Set<Rendition>, width: Int? = nil) {
        self.renditions = renditions
        self.width = width ?? renditions.map(\.level.width).max() ?? 0
    }

    /// Joins a newcomer's order where there still is time for it.
    @Sendable static func merge(_ order: inout WalkOrder, _ other: WalkOrder) -> Bool {
        switch order.stage {
        case .open: break
        case .chosen: guard other.width <= order.width else { return false }
        case .rendering:
            guard other.width <= order.width, other.renditions.isSubset(of: order.renditions)
            else { return false }
        }
        order.renditions.formUnion(other.renditions)
        order.width = max(order.width, other.width)
        return true
    }
}

/// How a walk ended.
package struct WalkResult: Sendable {
    /// Pictures rendered now; others that were wanted were stored already.
    var rendered: [Rendition: Picture] = [:]
    /// Set where no candidate gave a picture.
    package var failure: Failure?
    package var trace: Trace
    /// Thumbnails wanted that were there already.
    package var reused = 0
    /// Thumbnails rendered now.
    package var thumbnails: Int { rendered.count }
    package var originalsFetched = 0
    /// Bytes of originals that came over the network.
    package var bytesFetched = 0
    /// The picture is one whose origin could not be asked.
    package var isStale = false

    init(trace: Trace) {
        self.trace = trace
    }
}
