/// Draws the picture for an item without one: a quiet frame with hills and a sun, the same every
/// time.
enum Placeholder {
    static func drawn(
        width: Int, height: Int, _ style: PlaceholderStyle = PlaceholderStyle()
    ) throws(ImagingError) -> Canvas {
        let canvas = try Canvas(width: width, height: height)
        let (white, black) = (RGB(red: 255, green: 255, blue: 255), RGB(red: 0, green: 0, blue: 0))
        canvas.gradient(
            [
                GradientStop(0, style.background.mixed(with: white, style.isDark ? 0.06 : 0.4)),
                GradientStop(1, style.background.mixed(with: black, style.isDark ? 0.2 : 0.06)),
            ], angle: 20)
        drawGlyph(
            on: canvas, ink: style.foreground,
            paper: style.background.mixed(
                with: style.isDark ? black : white, style.isDark ? 0.3 : 0.7))
        return canvas
    }

    /// Draws in units of the glyph's side, which is a good third of the box's shorter side.
    private static func drawGlyph(on canvas: Canvas, ink: RGB, paper: RGB) {
        let side = 0.38 * Double(min(canvas.width, canvas.height))
        let (left, top) = ((Double(canvas.width) - side) / 2, (Double(canvas.height) - side) / 2)
        func point(_ x: Double, _ y: Double) -> Point { Point(left + x * side, top + y * side) }
        func card(_ inset: Double, _ radius: Double, _ color: RGB) {
            canvas.rectangle(
                x: left + inset * side, y: top + (inset + 0.06) * side,
                width: (1 - 2 * inset) * side, height: (0.88 - 2 * inset) * side,
                cornerRadius: radius * side, color: color)
        }
        card(0, 0.13, ink)
        card(0.065, 0.07, paper)
        let sun = point(0.31, 0.34)
        canvas.circle(x: sun.x, y: sun.y, radius: 0.085 * side, color: ink, alpha: 0.85)
        canvas.polygon(
            [point(0.13, 0.81), point(0.13, 0.72), point(0.34, 0.53), point(0.58, 0.81)],
            color: ink, alpha: 0.7)
        canvas.polygon(
            [point(0.36, 0.81), point(0.64, 0.40), point(0.87, 0.68), point(0.87, 0.81)],
            color: ink)
    }
}

extension PlaceholderStyle {
    fileprivate var isDark: Bool {
        let sum = 2 * Int(background.red) + 5 * Int(background.green) + Int(background.blue)
        return sum < 8 * 128
    }
}

extension RGB {
    /// Returns a mix with `part` (0…1) of the other color.
    fileprivate func mixed(with other: RGB, _ part: Double) -> RGB {
        func mix(_ one: UInt8, _ two: UInt8) -> UInt8 {
            UInt8((Double(one) * (1 - part) + Double(two) * part).rounded())
        }
        return RGB(
            red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue))
    }
}
