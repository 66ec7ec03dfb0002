/// A colour of a gradient and where it is reached, 0…1 along the gradient.
package struct GradientStop: Sendable, Hashable {
    package var position: Double
    package var colour: RGB

    package init(_ position: Double, _ colour: RGB) {
        self.position = position
        self.colour = colour
    }
}

/// A corner of a polygon in pixels.
package struct Point: Sendable, Hashable {
    package var x: Double
    package var y: Double

    package init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }
}
