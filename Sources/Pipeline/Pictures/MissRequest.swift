import Catalog
import Imaging

/// What callers want of one item. Later callers may extend it until the miss reaches the step that
/// uses it.
struct MissRequest: Sendable {
    enum Stage: Sendable {
        case open
        /// The candidates are ordered for a box.
        case chosen
        /// The renditions are handed to the renderer.
        case rendering
        /// The pictures that callers see are chosen.
        case published
    }

    /// The thumbnails to store.
    var renditions: Set<Rendition>
    /// The thumbnails that callers get as pictures.
    var shown: Set<Rendition>
    /// The thumbnails that are in memory already. A later caller of one of them gets a miss of its
    /// own.
    var answered: Set<Rendition> = []
    /// The thumbnails without which a caller isn't served. The others are made by the way.
    var needed: Set<Rendition>
    /// The box that the candidate should cover. That of a pyramid follows from its item's details.
    var box: PictureBox
    var stage = Stage.open
    /// Whether the original's bytes must be in the store afterward, too.
    var wantsOriginal = false

    /// - Parameter needed: nil for those that are shown, or all if none is.
    init(
        _ renditions: Set<Rendition>, showing shown: Set<Rendition> = [],
        needing needed: Set<Rendition>? = nil
    ) {
        self.renditions = renditions
        self.shown = shown
        self.needed = needed ?? (shown.isEmpty ? renditions : shown)
        let boxes = renditions.filter { !$0.isPyramid }.map(\.level.wanted)
        box = PictureBox(
            width: boxes.map(\.width).max() ?? 0, height: boxes.map(\.height).max() ?? 0)
    }

    /// A pyramid is never wanted together with thumbnails.
    var isOfPyramid: Bool { renditions.contains(where: \.isPyramid) }

    /// Removes the renditions of these levels that no caller needs.
    mutating func leave(_ levels: Set<String>) {
        renditions = renditions.filter { needed.contains($0) || !levels.contains($0.level.key) }
    }

    /// Joins a late caller's request to the one in flight. Returns false if it comes too late.
    @Sendable static func merge(_ request: inout MissRequest, _ other: MissRequest) -> Bool {
        switch request.stage {
        case .open: break
        case .chosen: guard request.box.covers(other.box) else { return false }
        case .rendering:
            guard request.includes(other), other.mayJoin(after: request.answered) else {
                return false
            }
        case .published:
            guard request.includes(other), other.shown.isSubset(of: request.shown) else {
                return false
            }
        }
        request.wantsOriginal = request.wantsOriginal || other.wantsOriginal
        request.renditions.formUnion(other.renditions)
        request.shown.formUnion(other.shown)
        request.needed.formUnion(other.needed)
        request.box.width = max(request.box.width, other.box.width)
        request.box.height = max(request.box.height, other.box.height)
        return true
    }

    private func mayJoin(after answered: Set<Rendition>) -> Bool {
        answered.isEmpty || (!shown.isEmpty && shown.isDisjoint(with: answered))
    }

    private func includes(_ other: MissRequest) -> Bool {
        box.covers(other.box) && other.renditions.isSubset(of: renditions)
            && (wantsOriginal || !other.wantsOriginal)
    }
}

extension PictureBox {
    /// The box that leads to the largest picture that may be decoded.
    ///
    /// - Parameter details: nil if the catalog can't be asked.
    static func pyramid(of details: ItemDetails?, maxPixels: Int) -> PictureBox {
        for case .scalable(let scalable) in details?.chain ?? [] {
            guard let width = scalable.maxWidth, let height = scalable.maxHeight, width > 0,
                height > 0
            else { continue }
            // Halves, so that all layers of the server's own pyramid stay whole.
            var (w, h) = (width, height)
            while Double(w) * Double(h) > Double(maxPixels) { (w, h) = ((w + 1) / 2, (h + 1) / 2) }
            return PictureBox(width: w, height: h)
        }
        let level = Rendition.pyramid.level
        return PictureBox(width: level.width, height: level.height)
    }

    fileprivate func covers(_ other: PictureBox) -> Bool {
        width >= other.width && height >= other.height
    }
}

extension Level {
    /// The pixels that a candidate should have. A picture must cover the box of a tile on both sides, and
    /// its shape isn't known yet: twice the box is enough up to twice as wide or high.
    fileprivate var wanted: PictureBox {
        let factor = if case .cover = fit { 2 } else { 1 }
        return PictureBox(width: factor * width, height: factor * height)
    }
}
