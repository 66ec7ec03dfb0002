import Catalog
import Imaging

/// What callers want of one item. Newcomers may widen it up to the step in question.
struct WalkOrder: Sendable {
    enum Stage: Sendable {
        case open
        /// The candidates are ordered for a box.
        case chosen
        /// The renditions are handed to the renderer.
        case rendering
    }

    var renditions: Set<Rendition>
    /// The candidate should cover it.
    var box: PictureBox
    var stage = Stage.open
    /// Whether the original's bytes have to be in the store afterwards, too.
    var wantsOriginal = false

    init(_ renditions: Set<Rendition>) {
        self.renditions = renditions
        box = PictureBox(
            width: renditions.map(\.level.width).max() ?? 0,
            height: renditions.map(\.level.height).max() ?? 0)
    }

    /// Joins a newcomer's order where there still is time for it.
    @Sendable static func merge(_ order: inout WalkOrder, _ other: WalkOrder) -> Bool {
        switch order.stage {
        case .open: break
        case .chosen: guard order.box.covers(other.box) else { return false }
        case .rendering:
            guard order.box.covers(other.box), other.renditions.isSubset(of: order.renditions),
                order.wantsOriginal || !other.wantsOriginal
            else { return false }
        }
        order.wantsOriginal = order.wantsOriginal || other.wantsOriginal
        order.renditions.formUnion(other.renditions)
        order.box.width = max(order.box.width, other.box.width)
        order.box.height = max(order.box.height, other.box.height)
        return true
    }
}

extension PictureBox {
    fileprivate func covers(_ other: PictureBox) -> Bool {
        width >= other.width && height >= other.height
    }
}

/// Where a walk spent its time; parts that were not needed are zero.
package struct WalkTimings: Sendable, Equatable {
    /// Asking the catalogue.
    package var catalog: Duration = .zero
    /// Getting the original, from its origin or the disk.
    package var fetch: Duration = .zero
    /// Waiting for a render thread.
    package var queue: Duration = .zero
    /// Decoding, resampling, encoding.
    package var render: Duration = .zero
    /// Publishing thumbnails.
    package var store: Duration = .zero
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
    package var timings = WalkTimings()

    init(trace: Trace) {
        self.trace = trace
    }
}
