/// A configured thumbnail size: a box in pixels. A picture is fitted into it, or covers it and is cropped.
/// It is never enlarged.
package struct Level: Sendable, Hashable, Codable {
    package var name: String
    package var width: Int
    package var height: Int
    package var fit = Fit.contain

    package init(name: String, width: Int, height: Int, fit: Fit = .contain) {
        self.name = name
        self.width = width
        self.height = height
        self.fit = fit
    }

    /// How a picture gets into the box.
    package enum Fit: Sendable, Hashable, Codable {
        /// As a whole; one side may be shorter.
        case contain
        /// The picture fills the box and the excess is cropped. A picture that doesn't cover the box is
        /// cropped to its shape.
        case cover(Gravity)
        /// As a whole, in the middle of a ground of the picture's own color that has the shape of the box.
        case ground
    }

    /// The part of a picture that stays.
    package enum Gravity: String, Sendable, Hashable, Codable, CaseIterable {
        /// What draws the eye: edges, skin, saturated color.
        case attention
        /// Where most is to be seen.
        case entropy
        case center, top, bottom, left, right
        case topLeft = "top-left"
        case topRight = "top-right"
        case bottomLeft = "bottom-left"
        case bottomRight = "bottom-right"

        /// Whether the picture's content decides, and libvips finds it.
        var isSmart: Bool { self == .attention || self == .entropy }
    }

    /// The same level for pictures that must not be cropped.
    package var uncropped: Level {
        guard case .cover = fit else { return self }
        var level = self
        level.fit = .ground
        return level
    }

    /// Returns the size at this level of a picture of that size.
    package func fitting(width: Int, height: Int) -> (width: Int, height: Int) {
        let size = PixelSize(width: max(1, width), height: max(1, height)).fitting(self)
        return (size.width, size.height)
    }

    /// Boxes that fit 2:3 posters and square covers.
    package static let defaults = [
        Level(name: "xs", width: 80, height: 120),
        Level(name: "s", width: 160, height: 240),
        Level(name: "m", width: 320, height: 480),
        Level(name: "l", width: 640, height: 960),
        Level(name: "xl", width: 1280, height: 1920),
    ]
}

extension PixelSize {
    /// Returns the largest size that fits the box of a level, never enlarged. Both sides are
    /// rounded to the nearest pixel, so that the shape is off by less than one.
    func fitting(_ level: Level) -> PixelSize {
        let scale = min(
            1, Double(level.width) / Double(width), Double(level.height) / Double(height))
        return PixelSize(
            width: max(1, Int(clamped: (Double(width) * scale).rounded())),
            height: max(1, Int(clamped: (Double(height) * scale).rounded())))
    }
}

extension [Level] {
    /// The levels whose thumbnails have the same shape: those of whole pictures, else the tiles
    /// in the shape of the largest.
    package var ofOneShape: [Level] {
        let whole = filter { $0.fit == .contain }
        guard whole.isEmpty, let last else { return whole }
        return filter { $0.width * last.height == $0.height * last.width }
    }
}
