/// A configured thumbnail size: a box in pixels that a picture fits into, never cropped, never
/// enlarged.
package struct Level: Sendable, Hashable, Codable {
    package var name: String
    package var width: Int
    package var height: Int

    package init(name: String, width: Int, height: Int) {
        self.name = name
        self.width = width
        self.height = height
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
