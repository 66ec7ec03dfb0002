import Imaging

extension Scene {
    /// Doorway behind doorway, with light at the end and somebody in it.
    mutating func arches() -> TitleArea {
        canvas.gradient([
            GradientStop(0, palette.night),
            GradientStop(1, palette.night.mixed(with: palette.deep, 0.6)),
        ])
        canvas.noise(seed: random.next(), scale: 200 * unit, strength: 0.08, octaves: 5)
        let count = random.integer(in: 6...8)
        let isRound = random.chance(0.65)
        let centre = width / 2
        let foot = height * 0.86
        for index in 0..<count {
            let share = Double(index) / Double(count - 1)
            let half = (285 - share * 215) * unit
            let top = height * (0.32 + share * 0.2)
            let colour = palette.tone(0.12 + share * share * 0.55 + share * 0.3)
            arch(
                centre: centre, half: half, top: top, foot: foot - share * 70 * unit,
                isRound: isRound, colour: colour)
            // The inner side of the wall, to the left in shadow.
            arch(
                centre: centre + 7 * unit * (1 - share), half: half - 9 * unit,
                top: top + 12 * unit, foot: foot - share * 70 * unit, isRound: isRound,
                colour: colour.mixed(with: palette.night, 0.22))
        }
        let threshold = foot - 70 * unit
        let half = 61 * unit
        arch(
            centre: centre, half: half, top: height * 0.535, foot: threshold, isRound: isRound,
            colour: palette.pale)
        canvas.glow(
            x: centre, y: height * 0.65, radius: 330 * unit, colour: palette.accent,
            strength: 0.6)
        floor(from: threshold, half: half, centre: centre)
        visitor(x: centre + random.number(in: -14...14) * unit, y: threshold + 14 * unit)
        return TitleArea(
            top: 0.06, bottom: 0.3, colour: palette.pale,
            typefaces: [.century, .bookish, .light, .narrow, .bookman, .geometric])
    }

    private func arch(
        centre: Double, half: Double, top: Double, foot: Double, isRound: Bool, colour: RGB
    ) {
        let shoulders =
            isRound
            ? Self.arc(
                x: centre, y: top + half, radiusX: half, radiusY: half, from: 180, to: 360)
            : Self.curve(
                Point(centre - half, top + half * 1.1),
                Point(centre - half, top + half * 0.5),
                Point(centre - half * 0.35, top + half * 0.2),
                Point(centre, top))
                + Self.curve(
                    Point(centre, top), Point(centre + half * 0.35, top + half * 0.2),
                    Point(centre + half, top + half * 0.5), Point(centre + half, top + half * 1.1))
        canvas.polygon(
            [Point(centre - half, foot)] + shoulders + [Point(centre + half, foot)],
            colour: colour)
    }

    /// Light on the floor, widening towards us, with the joints of the flags.
    private func floor(from threshold: Double, half: Double, centre: Double) {
        canvas.polygon(
            [
                Point(centre - half, threshold), Point(centre + half, threshold),
                Point(centre + half * 4.4, height + 1), Point(centre - half * 4.4, height + 1),
            ], colour: palette.bright, alpha: 0.32)
        canvas.polygon(
            [
                Point(centre - half * 0.8, threshold), Point(centre + half * 0.8, threshold),
                Point(centre + half * 2.6, height + 1), Point(centre - half * 2.6, height + 1),
            ], colour: palette.pale, alpha: 0.3)
        for row in 1..<8 {
            let share = Double(row) / 8
            let y = threshold + (height - threshold) * share * share
            canvas.line(
                from: Point(0, y), to: Point(width, y), width: (0.8 + share * 1.6) * unit,
                colour: palette.night, alpha: 0.32)
        }
    }

    private func visitor(x: Double, y: Double) {
        let ink = palette.night
        canvas.polygon(
            [
                Point(x - 9 * unit, y), Point(x + 9 * unit, y),
                Point(x + 40 * unit, y + 150 * unit), Point(x - 30 * unit, y + 150 * unit),
            ], colour: ink, alpha: 0.28)
        canvas.circle(x: x, y: y - 86 * unit, radius: 8.5 * unit, colour: ink)
        canvas.polygon(
            [
                Point(x - 11 * unit, y - 74 * unit), Point(x + 11 * unit, y - 74 * unit),
                Point(x + 15 * unit, y - 26 * unit), Point(x - 15 * unit, y - 26 * unit),
            ], colour: ink)
        for side in [-1.0, 1.0] {
            canvas.line(
                from: Point(x + side * 5 * unit, y - 30 * unit),
                to: Point(x + side * 6 * unit, y), width: 7 * unit, colour: ink)
        }
    }
}
