/// A color and its position, 0…1 along a gradient.
package struct GradientStop: Sendable, Hashable {
    package var position: Double
    package var color: RGB

    package init(_ position: Double, _ color: RGB) {
        self.position = position
        self.color = color
    }
}
