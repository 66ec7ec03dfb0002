/// The picture that stands for one that can't be shown: a quiet frame with hills and a sun, the same
/// every time.
enum Placeholder {
    static func drawn(width: Int, height: Int) throws(ImagingError) -> Canvas {
        let canvas = try Canvas(width: width, height: height)
        canvas.gradient(
            [
                GradientStop(0, RGB(red: 0xEC, green: 0xEF, blue: 0xF3)),
                GradientStop(1, RGB(red: 0xD3, green: 0xD9, blue: 0xE1)),
            ], angle: 20)
        drawGlyph(on: canvas)
        return canvas
    }

    /// In units of the glyph's side, which is a good third of the shorter side of the box.
    private static func drawGlyph(on canvas: Canvas) {
        let side = 0.38 * Double(min(canvas.width, canvas.height))
        let (left, top) = ((Double(canvas.width) - side) / 2, (Double(canvas.height) - side) / 2)
        let ink = RGB(red: 0xA4, green: 0xAF, blue: 0xBD)
        let paper = RGB(red: 0xF6, green: 0xF8, blue: 0xFA)
        func point(_ x: Double, _ y: Double) -> Point { Point(left + x * side, top + y * side) }
        func card(_ inset: Double, _ radius: Double, _ colour: RGB) {
            canvas.rectangle(
                x: left + inset * side, y: top + (inset + 0.06) * side,
                width: (1 - 2 * inset) * side, height: (0.88 - 2 * inset) * side,
                cornerRadius: radius * side, colour: colour)
        }
        card(0, 0.13, ink)
        card(0.065, 0.07, paper)
        let sun = point(0.31, 0.34)
        canvas.circle(x: sun.x, y: sun.y, radius: 0.085 * side, colour: ink, alpha: 0.85)
        canvas.polygon(
            [point(0.13, 0.81), point(0.13, 0.72), point(0.34, 0.53), point(0.58, 0.81)],
            colour: ink, alpha: 0.7)
        canvas.polygon(
            [point(0.36, 0.81), point(0.64, 0.40), point(0.87, 0.68), point(0.87, 0.81)],
            colour: ink)
    }
}
