/// The pixels of a level: a size of the whole picture, and what is made of that. Pure.
struct Framing: Hashable, Sendable {
    enum Cut: Hashable, Sendable {
        /// The whole picture.
        case none
        /// A part of that size.
        case crop(PixelSize, Level.Gravity)
        /// The whole picture in the middle of that size.
        case ground(PixelSize)
    }

    /// The size to which the whole picture is resampled.
    var whole: PixelSize
    var cut: Cut

    /// The size of the thumbnail.
    var size: PixelSize {
        switch cut {
        case .none: whole
        case .crop(let size, _), .ground(let size): size
        }
    }

    /// - Parameter seen: the original's size with its orientation applied.
    init(_ level: Level, of seen: PixelSize) {
        let box = PixelSize(width: level.width, height: level.height)
        switch level.fit {
        case .contain:
            whole = seen.fitting(level)
            cut = .none
        case .cover(let gravity):
            whole = seen.covering(box)
            let part = whole.part(shapedAs: box)
            // Another lane makes the same size, so that these are other pixels.
            cut = part == whole && !gravity.isSmart ? .none : .crop(part, gravity)
        case .ground:
            whole = seen.fitting(level)
            cut = .ground(whole.surround(shapedAs: box))
        }
    }

    /// Returns the left and top edge of a part. Both are even, so that samples of color, which stand for
    /// two pixels each way, keep their places.
    static func corner(
        of part: PixelSize, in whole: PixelSize, _ gravity: Level.Gravity
    ) -> (left: Int, top: Int) {
        let (right, bottom) = (whole.width - part.width, whole.height - part.height)
        let left =
            switch gravity {
            case .left, .topLeft, .bottomLeft: 0
            case .right, .topRight, .bottomRight: right
            case .center, .top, .bottom, .attention, .entropy: right / 2
            }
        let top =
            switch gravity {
            case .top, .topLeft, .topRight: 0
            case .bottom, .bottomLeft, .bottomRight: bottom
            case .center, .left, .right, .attention, .entropy: bottom / 2
            }
        return even(left, top)
    }

    static func even(_ left: Int, _ top: Int) -> (left: Int, top: Int) {
        (max(0, left) & ~1, max(0, top) & ~1)
    }
}

extension PixelSize {
    /// Returns the smallest size of the picture that covers a box; its own if it doesn't cover it.
    func covering(_ box: PixelSize) -> PixelSize {
        let scale = max(
            Double(box.width) / Double(width), Double(box.height) / Double(height))
        guard scale < 1 else { return self }
        return PixelSize(
            width: min(width, max(box.width, Int(clamped: (Double(width) * scale).rounded()))),
            height: min(height, max(box.height, Int(clamped: (Double(height) * scale).rounded()))))
    }

    /// Returns the largest part of this size in the shape of a box, and no larger than it.
    func part(shapedAs box: PixelSize) -> PixelSize {
        let scale = min(
            1, Double(width) / Double(box.width), Double(height) / Double(box.height))
        return PixelSize(
            width: min(width, max(1, Int(clamped: (Double(box.width) * scale).rounded()))),
            height: min(height, max(1, Int(clamped: (Double(box.height) * scale).rounded()))))
    }

    /// Returns the smallest size in the shape of a box that holds this one.
    func surround(shapedAs box: PixelSize) -> PixelSize {
        let scale = max(
            Double(width) / Double(box.width), Double(height) / Double(box.height))
        return PixelSize(
            width: max(width, Int(clamped: (Double(box.width) * scale).rounded())),
            height: max(height, Int(clamped: (Double(box.height) * scale).rounded())))
    }
}

extension Level {
    /// Whether the planar lane makes it. Colors at the edges of a ground would mix with the picture's,
    /// and libvips finds what draws the eye in its own pixels.
    var fitsPlanes: Bool {
        switch fit {
        case .contain: true
        case .cover(let gravity): !gravity.isSmart
        case .ground: false
        }
    }

    /// Returns the size of the level's thumbnail.
    ///
    /// - Parameter seen: the original's size with its orientation applied.
    func size(of seen: PixelSize) -> PixelSize { Framing(self, of: seen).size }
}
