import Foundation
import Imaging

extension Scene {
    /// A picture made of dots: a wave, a sun or a fold.
    mutating func halftone(_ credits: CoverCredits) {
        let isDark = random.chance(0.4)
        let paper = isDark ? palette.night : random.pick([palette.pale, palette.bright])
        let ink = isDark ? random.pick([palette.bright, palette.accent]) : palette.night
        canvas.fill(paper)
        let disc = Point(
            width * random.number(in: 0.38...0.62), height * random.number(in: 0.36...0.46))
        canvas.circle(
            x: disc.x, y: disc.y, radius: width * 0.27, colour: palette.accent,
            alpha: isDark ? 0.35 : 0.9)
        let kind = random.integer(in: 0...2)
        let phase = random.number(in: 0...(2 * .pi))
        let gap = 20 * unit
        let turn = 0.38
        let reach = 36
        for row in -reach...reach {
            for column in -reach...reach {
                let (u, v) = (Double(column) * gap, Double(row) * gap)
                let x = width / 2 + u * cos(turn) - v * sin(turn)
                let y = height * 0.42 + u * sin(turn) + v * cos(turn)
                guard x > -gap, y > -gap, x < width + gap, y < height * 0.84 else { continue }
                let (dx, dy) = ((x - disc.x) / width, (y - disc.y) / height)
                let away = (dx * dx + dy * dy).squareRoot()
                let tone =
                    switch kind {
                    case 0: 0.5 + 0.5 * sin(away * 46 + phase)
                    case 1: 0.5 + 0.5 * sin(dx * 15 + 3.4 * sin(dy * 7 + phase))
                    default: max(0, 1 - abs(away - 0.27) * 5.2)
                    }
                let fade = min(1, (height * 0.84 - y) / (height * 0.2))
                let radius = gap * 0.66 * tone.squareRoot() * fade
                if radius > 0.8 * unit { canvas.circle(x: x, y: y, radius: radius, colour: ink) }
            }
        }
        let text = isDark ? palette.pale : palette.night
        letter(
            credits.artist, .slanted, largest: 64, x: width * 0.05, y: height * 0.85,
            width: width * 0.9, height: height * 0.075, colour: text)
        letter(
            credits.title, .grotesque, largest: 32, x: width * 0.05, y: height * 0.93,
            width: width * 0.9, height: height * 0.045, colour: text)
    }
}
