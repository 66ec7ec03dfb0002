import Imaging

extension Scene {
    /// Rays or rainbow stripes as records of the seventies had them, worn at the edges.
    mutating func sunburst(_ credits: CoverCredits) {
        canvas.fill(palette.pale)
        let stripes = [palette.accent, palette.bright, palette.mid, palette.deep]
        let kind = random.integer(in: 0...2)
        switch kind {
        case 0: rays(stripes)
        case 1: rainbow(stripes)
        default: record(stripes)
        }
        let foot = height * 0.84
        if kind != 1 {
            canvas.rectangle(
                x: 0, y: foot, width: width, height: height - foot, colour: palette.pale)
        }
        let face = random.pick([Typeface.bookman, .century, .geometric])
        let ink = palette.night
        letter(
            credits.artist, face, largest: 66, x: width * 0.06,
            y: kind == 1 ? height * 0.06 : foot + height * 0.018, width: width * 0.88,
            height: height * 0.075, colour: ink, alignment: .centre)
        letter(
            credits.title, .grotesque, largest: 34, x: width * 0.06,
            y: kind == 1 ? height * 0.15 : foot + height * 0.1, width: width * 0.88,
            height: height * 0.05, colour: ink, alignment: .centre)
        stereo(ink)
        wear()
    }

    private mutating func rays(_ stripes: [RGB]) {
        let centre = Point(width / 2, height * random.number(in: 0.5...0.62))
        let count = random.pick([16, 20, 24])
        for ray in 0..<count {
            let from = Double(ray) / Double(count) * 360
            let points = [0.0, 0.5].map { step in
                Point(centre.x + width * 1.2, centre.y).rotated(
                    from + 360 / Double(count) * step, around: centre)
            }
            canvas.polygon([centre] + points, colour: stripes[ray % 2 == 0 ? 0 : 1])
        }
        for (index, share) in [0.3, 0.25, 0.2, 0.14].enumerated() {
            canvas.circle(
                x: centre.x, y: centre.y, radius: width * share,
                colour: index.isMultiple(of: 2) ? palette.pale : stripes[index])
        }
        canvas.circle(x: centre.x, y: centre.y, radius: width * 0.1, colour: palette.night)
    }

    /// Stripes that come up from below and turn to the side.
    private mutating func rainbow(_ stripes: [RGB]) {
        let isLeft = random.chance(0.5)
        let thick = width * 0.075
        for (index, colour) in (stripes + [palette.night]).enumerated() {
            let radius = width * 0.62 - Double(index) * thick
            let bend = Point(isLeft ? width * 0.08 : width * 0.92, height * 0.98)
            var path = Self.arc(
                x: bend.x, y: bend.y, radiusX: radius, radiusY: radius,
                from: isLeft ? -90 : 270, to: isLeft ? 0 : 180)
            path.insert(Point(isLeft ? -thick : width + thick, bend.y - radius), at: 0)
            path.append(Point(path[path.count - 1].x, height + thick))
            band(path, width: thick * 0.98, colour: colour)
        }
        let sun = Point(isLeft ? width * 0.8 : width * 0.2, height * 0.42)
        canvas.circle(x: sun.x, y: sun.y, radius: width * 0.12, colour: stripes[0])
    }

    private mutating func record(_ stripes: [RGB]) {
        canvas.fill(random.pick([stripes[1], stripes[0], palette.bright]))
        let centre = Point(width / 2, height * 0.43)
        let radius = width * 0.38
        canvas.circle(
            x: centre.x + 8 * unit, y: centre.y + 12 * unit, radius: radius,
            colour: palette.night, alpha: 0.25)
        canvas.circle(x: centre.x, y: centre.y, radius: radius, colour: palette.night)
        for groove in 0..<26 {
            canvas.circle(
                x: centre.x, y: centre.y, radius: radius * (0.98 - Double(groove) * 0.022),
                colour: groove.isMultiple(of: 2)
                    ? palette.night.mixed(with: palette.mid, 0.24) : palette.night)
        }
        // Light lies on vinyl in two wedges.
        for turn in [-38.0, 142] {
            let wedge =
                [centre]
                + Self.arc(
                    x: centre.x, y: centre.y, radiusX: radius, radiusY: radius, from: turn - 12,
                    to: turn + 12)
            canvas.polygon(wedge, colour: palette.pale, alpha: 0.12)
        }
        canvas.circle(x: centre.x, y: centre.y, radius: radius * 0.36, colour: stripes[0])
        canvas.circle(x: centre.x, y: centre.y, radius: radius * 0.3, colour: palette.pale)
        canvas.circle(x: centre.x, y: centre.y, radius: radius * 0.045, colour: palette.night)
    }

    private func stereo(_ ink: RGB) {
        let (wide, high) = (width * 0.11, height * 0.028)
        canvas.rectangle(
            x: width - wide - width * 0.03, y: height * 0.025, width: wide, height: high,
            cornerRadius: 4 * unit, colour: ink)
        letter(
            "Stereo", .grotesque, largest: 19, x: width - wide - width * 0.03,
            y: height * 0.0305, width: wide, height: high, colour: palette.pale,
            alignment: .centre)
    }

    /// The ring that a record leaves in its sleeve, and rubbed corners.
    private mutating func wear() {
        let circle = Self.arc(
            x: width / 2, y: height / 2, radiusX: width * 0.465, radiusY: height * 0.465, from: 0,
            to: 360, steps: 96)
        for start in stride(from: 0, to: 90, by: 3) where random.chance(0.8) {
            band(
                Array(circle[start...(start + 4)]), width: random.number(in: 2...7) * unit,
                colour: palette.pale, alpha: random.number(in: 0.05...0.22))
        }
        for corner in [Point(0, 0), Point(width, 0), Point(0, height), Point(width, height)] {
            canvas.glow(
                x: corner.x, y: corner.y, radius: random.number(in: 30...90) * unit,
                colour: palette.pale, strength: 0.75)
        }
    }
}
