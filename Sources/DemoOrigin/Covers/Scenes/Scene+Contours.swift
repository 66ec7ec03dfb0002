import Foundation
import Imaging

extension Scene {
    /// Layers of paper, or of water: outlines within outlines.
    mutating func contours(_ credits: CoverCredits) {
        let rises = random.chance(0.5)
        canvas.fill(palette.tone(rises ? 0.08 : 0.92))
        let centres = (0..<2).map { _ in
            Point(width * random.number(in: 0.2...0.8), height * random.number(in: 0.2...0.7))
        }
        let outlines = centres.map { blob(x: $0.x, y: $0.y, radius: width, wobble: 0.22) }
        let layers = 12
        for layer in 0..<layers {
            let share = Double(layer) / Double(layers - 1)
            for (index, outline) in outlines.enumerated() {
                let centre = centres[index]
                let size = (index == 0 ? 0.86 : 0.5) * (1 - share * 0.94)
                let points = outline.enumerated().map { step, point in
                    let ripple =
                        1 + 0.05 * sin(Double(step) / 72 * 2 * .pi * 3 + Double(layer) * 0.5)
                    return Point(
                        centre.x + (point.x - centre.x) * size * ripple,
                        centre.y + (point.y - centre.y) * size * ripple)
                }
                let tone = rises ? 0.12 + 0.84 * share : 0.88 - 0.84 * share
                // A shadow under each layer lifts it from the one below.
                let edge = (points + points.prefix(1)).map {
                    Point($0.x + 3 * unit, $0.y + 5 * unit)
                }
                band(edge, width: 12 * unit, colour: palette.night, alpha: 0.2)
                let isCore = layer == layers - 1 && index == 0
                canvas.polygon(points, colour: isCore ? palette.accent : palette.tone(tone))
            }
        }
        let colour = rises ? palette.pale : palette.night
        let shade = rises ? palette.night : palette.pale
        for part in [0.2, 0.5, 0.8] {
            canvas.glow(
                x: width * part, y: height * 0.93, radius: width * 0.3, colour: shade,
                strength: 0.7)
        }
        letter(
            credits.title, .century, largest: 50, x: width * 0.06, y: height * 0.86,
            width: width * 0.88, height: height * 0.06, colour: colour, alignment: .centre)
        letter(
            credits.artist, .light, largest: 24, x: width * 0.06, y: height * 0.928,
            width: width * 0.88, height: height * 0.035, colour: colour, alignment: .centre)
    }
}
