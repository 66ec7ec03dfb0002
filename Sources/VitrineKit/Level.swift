public import Foundation

/// A size that the service makes: a box in pixels.
public struct Level: Codable, Sendable, Hashable, Identifiable {
    public var name: String
    public var width: Int
    public var height: Int
    public var fit: Fit

    public var id: String { name }

    /// How a picture gets into the box. It is never enlarged.
    public enum Fit: String, Codable, Sendable {
        /// As a whole; one side may be shorter.
        case contain
        /// The picture fills the box, and what is outside is cropped.
        case cover
        /// As a whole, on a ground of its own color that fills the box.
        case ground
    }

    public init(name: String, width: Int, height: Int, fit: Fit = .contain) {
        self.name = name
        self.width = width
        self.height = height
        self.fit = fit
    }

    /// The levels of a service whose settings name none. ``VitrineClient/service()`` has those of yours.
    public static let standard = [
        Level(name: "xs", width: 80, height: 120), Level(name: "s", width: 160, height: 240),
        Level(name: "m", width: 320, height: 480), Level(name: "l", width: 640, height: 960),
        Level(name: "xl", width: 1_280, height: 1_920),
    ]

    /// Returns the smallest level that is sharp in a place, or else the largest. Nil without levels.
    ///
    /// - Parameters:
    ///   - points: the place that the picture is fitted into.
    ///   - scale: pixels for each point: 1, 2 or 3.
    ///   - levels: of one shape, in any order.
    ///   - aspectRatio: width through height of the picture, if it is known. It is then fitted into place and
    ///     box; without it the box has to cover the place.
    public static func best(
        for points: CGSize, scale: CGFloat, among levels: [Level] = standard,
        aspectRatio: Double? = nil
    ) -> Level? {
        let place = CGSize(width: points.width * scale, height: points.height * scale)
        let ascending = levels.sorted { ($0.width, $0.height) < ($1.width, $1.height) }
        return ascending.first { $0.isSharp(in: place, aspectRatio) } ?? ascending.last
    }

    private func isSharp(in place: CGSize, _ aspectRatio: Double?) -> Bool {
        let (width, height) = (Double(self.width), Double(self.height))
        let (placeWidth, placeHeight) = (Double(place.width), Double(place.height))
        guard let aspectRatio, aspectRatio > 0, fit == .contain else {
            return width >= placeWidth && height >= placeHeight
        }
        // Half a pixel is lost to rounding.
        return min(width, height * aspectRatio) + 0.5
            >= min(placeWidth, placeHeight * aspectRatio)
    }
}

/// What to show of an item, one after the other: a small picture at once, then the sharp one.
public struct LadderStep: Sendable, Hashable {
    public var level: Level
    /// Path or URL, see ``VitrineClient/url(of:)``.
    public var url: String
    /// Whether the service has it already. What isn't stored is made for the request.
    public var isStored: Bool
}

extension Item {
    /// Returns the level that is sharp in a place; nil if the item has no picture.
    public func level(
        for points: CGSize, scale: CGFloat, among levels: [Level] = Level.standard
    ) -> Level? {
        Level.best(
            for: points, scale: scale, among: levels.filter { thumbnails[$0.name] != nil },
            aspectRatio: aspectRatio)
    }

    /// Returns the pictures to show in a place, one after the other: the smallest stored one, if that is smaller
    /// than the sharp one and the sharp one is not stored or much larger, then the sharp one. Empty if the item
    /// has no picture.
    public func levels(
        for points: CGSize, scale: CGFloat, among levels: [Level] = Level.standard
    ) -> [LadderStep] {
        guard let best = level(for: points, scale: scale, among: levels),
            let last = step(best)
        else { return [] }
        let smaller = levels.filter { $0.fit == best.fit && $0.width < best.width }
            .sorted { $0.width < $1.width }
        let first = smaller.lazy.compactMap(step).first { $0.isStored }
        return [first, last].compactMap { $0 }
    }

    private func step(_ level: Level) -> LadderStep? {
        thumbnails[level.name].map {
            LadderStep(level: level, url: $0.url, isStored: !$0.isBox)
        }
    }
}
