package import Imaging

/// The size of a whole picture in pixels, upright.
package struct ZoomSize: Sendable, Hashable {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The factors by which the layers of its pyramid are smaller.
    package var scaleFactors: [Int] {
        PyramidTable.layers(width: width, height: height).indices.map { 1 << $0 }
    }

    /// Returns its size at a level.
    package func fitting(_ level: Level) -> ZoomSize {
        let (width, height) = level.fitting(width: width, height: height)
        return ZoomSize(width: width, height: height)
    }
}
