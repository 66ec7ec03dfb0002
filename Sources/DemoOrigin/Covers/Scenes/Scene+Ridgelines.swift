import Foundation
import Imaging

extension Scene {
    /// Traces of a signal, each in front of the one before.
    mutating func ridgelines(_ credits: CoverCredits) {
        let isDark = random.chance(0.75)
        let paper = isDark ? palette.night : palette.pale
        let ink = isDark ? palette.pale : palette.night
        canvas.fill(paper)
        let (left, right) = (width * 0.16, width * 0.84)
        let lines = random.integer(in: 34...52)
        let peaks = (0..<3).map { _ in
            (at: random.number(in: 0.3...0.7), wide: random.number(in: 0.05...0.13))
        }
        let hue = random.chance(0.45) ? palette.accent : ink
        for line in 0..<lines {
            let share = Double(line) / Double(lines - 1)
            let base = height * (0.25 + 0.55 * share)
            let noise = ridge(detail: 7, roughness: 0.62)
            var points: [Point] = []
            for (step, value) in noise.enumerated() {
                let t = Double(step) / Double(noise.count - 1)
                var swell = 0.0
                for peak in peaks {
                    let away = (t - peak.at) / peak.wide
                    swell += exp(-away * away)
                }
                let lift = value * (min(swell, 1.2) * 72 + 5) * unit
                points.append(Point(left + (right - left) * t, base - lift))
            }
            canvas.polygon(
                points + [Point(right, base + 6 * unit), Point(left, base + 6 * unit)],
                colour: paper)
            band(points, width: 2.6 * unit, colour: ink.mixed(with: hue, share))
        }
        let typeface = random.pick([Typeface.narrow, .light, .grotesque])
        letter(
            credits.artist, typeface, largest: 38, x: width * 0.1, y: height * 0.06,
            width: width * 0.8, height: height * 0.055, colour: ink, alignment: .centre)
        letter(
            credits.title, typeface, largest: 30, x: width * 0.1, y: height * 0.885,
            width: width * 0.8, height: height * 0.055, colour: ink, alignment: .centre)
    }
}
