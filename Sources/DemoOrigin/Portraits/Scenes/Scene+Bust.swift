import Imaging

extension Scene {
    /// Head and shoulders in flat colours, light from one side.
    mutating func bust() {
        backdrop()
        // Sizes follow the head; the picture is as wide as four of them.
        let head = width * 0.17
        let centre = Point(width * random.number(in: 0.46...0.54), height * 0.43)
        let skin = random.pick(Self.skins)
        let hair = random.pick([
            palette.night, palette.night, palette.deep, RGB(hex: 0x5A3A22), RGB(hex: 0xB98A4A),
            RGB(hex: 0xB9B4AC),
        ])
        let cloth = random.pick([palette.accent, palette.night, palette.mid, palette.pale])
        let style = random.integer(in: 0...5)
        hairBehind(style, centre, head, hair)
        shoulders(centre, head, cloth: cloth)
        neck(centre, head, skin)
        face(centre, head, skin)
        features(centre, head, skin, hair)
        hairInFront(style, centre, head, hair)
        if random.chance(0.22) { glasses(centre, head) }
    }

    static let skins = [UInt32(0xF1C9A5), 0xE0AC85, 0xC68B62, 0x9C6644, 0x6F4630, 0x4A2F23]
        .map { RGB(hex: $0) }

    /// A plain ground with a disc, a half or stripes.
    private mutating func backdrop() {
        let ground = random.pick([palette.bright, palette.mid, palette.pale, palette.accent])
        canvas.gradient([
            GradientStop(0, ground), GradientStop(1, ground.mixed(with: palette.deep, 0.35)),
        ])
        let second = ground == palette.accent ? palette.pale : palette.accent
        switch random.integer(in: 0...3) {
        case 0:
            canvas.circle(
                x: width * 0.5, y: height * 0.44, radius: width * 0.37, colour: second,
                alpha: 0.9)
        case 1:
            canvas.rectangle(
                x: width * 0.5, y: 0, width: width * 0.5 + 1, height: height, colour: second,
                alpha: 0.75)
        case 2:
            for stripe in 0..<7 {
                canvas.rectangle(
                    x: width * Double(stripe) / 7, y: 0, width: width / 14, height: height,
                    colour: palette.pale, alpha: 0.22)
            }
        default:
            canvas.glow(
                x: width * 0.3, y: height * 0.25, radius: width * 0.75, colour: palette.pale,
                strength: 0.7)
        }
        canvas.noise(seed: random.next(), scale: width * 0.4, strength: 0.05, octaves: 4)
    }

    private func shoulders(_ centre: Point, _ head: Double, cloth: RGB) {
        let top = centre.y + head * 1.72
        let right = Self.curve(
            Point(centre.x + head * 0.36, top - head * 0.16),
            Point(centre.x + head * 1.3, top + head * 0.2),
            Point(centre.x + head * 2.1, top + head * 0.35),
            Point(centre.x + head * 2.2, height + head * 2))
        let left = right.reversed().map { Point(2 * centre.x - $0.x, $0.y) }
        canvas.polygon(right + left, colour: cloth)
        let shade = right + right.reversed().map { Point($0.x - head * 0.7, $0.y + head * 0.3) }
        canvas.polygon(shade, colour: palette.night, alpha: 0.22)
        // Collar.
        canvas.polygon(
            [
                Point(centre.x - head * 0.42, top - head * 0.16),
                Point(centre.x, top + head * 0.95),
                Point(centre.x + head * 0.42, top - head * 0.16),
            ], colour: cloth.mixed(with: palette.pale, 0.35))
    }

    private func neck(_ centre: Point, _ head: Double, _ skin: RGB) {
        let shade = skin.mixed(with: palette.night, 0.35)
        canvas.polygon(
            [
                Point(centre.x - head * 0.36, centre.y + head * 0.6),
                Point(centre.x + head * 0.36, centre.y + head * 0.6),
                Point(centre.x + head * 0.42, centre.y + head * 1.62),
                Point(centre.x, centre.y + head * 2.05),
                Point(centre.x - head * 0.42, centre.y + head * 1.62),
            ], colour: shade)
    }

    private func face(_ centre: Point, _ head: Double, _ skin: RGB) {
        let outline = Self.profile([
            Point(0, -1.18), Point(0.5, -1.1), Point(0.82, -0.66), Point(0.86, -0.05),
            Point(0.74, 0.55), Point(0.42, 1.02), Point(0, 1.2),
        ])
        let right = outline.map { Point(centre.x + $0.x * head, centre.y + $0.y * head) }
        let left = outline.reversed().map { Point(centre.x - $0.x * head, centre.y + $0.y * head) }
        for side in [-1.0, 1.0] {
            canvas.ellipse(
                x: centre.x + side * head * 0.87, y: centre.y + head * 0.05,
                radiusX: head * 0.13, radiusY: head * 0.24,
                colour: skin.mixed(with: palette.night, side > 0 ? 0.36 : 0.12))
        }
        canvas.polygon(right + left, colour: skin)
        // The far half lies in the shade, along the bridge of the nose.
        canvas.polygon(
            right + [
                Point(centre.x + head * 0.1, centre.y + head * 1.17),
                Point(centre.x + head * 0.16, centre.y + head * 0.62),
                Point(centre.x + head * 0.02, centre.y + head * 0.42),
                Point(centre.x + head * 0.2, centre.y + head * 0.34),
                Point(centre.x + head * 0.06, centre.y - head * 0.2),
            ], colour: skin.mixed(with: palette.night, 0.26))
        canvas.ellipse(
            x: centre.x - head * 0.48, y: centre.y + head * 0.34, radiusX: head * 0.2,
            radiusY: head * 0.15, colour: RGB(hex: 0xE2725B), alpha: 0.16)
    }

    private mutating func features(
        _ centre: Point, _ head: Double, _ skin: RGB, _ hair: RGB
    ) {
        let dark = skin.mixed(with: palette.night, 0.85)
        let isClosed = random.chance(0.35)
        for side in [-1.0, 1.0] {
            let x = centre.x + side * head * 0.36
            let y = centre.y - head * 0.06
            let lid = Self.curve(
                Point(x - head * 0.17, y),
                Point(x - head * 0.08, y + head * (isClosed ? 0.1 : -0.1)),
                Point(x + head * 0.08, y + head * (isClosed ? 0.1 : -0.1)),
                Point(x + head * 0.17, y))
            band(lid, width: head * 0.045, colour: dark)
            if !isClosed {
                canvas.ellipse(
                    x: x, y: y + head * 0.01, radiusX: head * 0.075, radiusY: head * 0.08,
                    colour: dark)
                canvas.circle(
                    x: x - head * 0.025, y: y - head * 0.025, radius: head * 0.02,
                    colour: palette.pale)
            }
            let brow = Self.curve(
                Point(x - head * 0.2, y - head * 0.2), Point(x - head * 0.08, y - head * 0.32),
                Point(x + head * 0.08, y - head * 0.32), Point(x + head * 0.2, y - head * 0.22))
            band(brow, width: head * 0.065, colour: hair.mixed(with: dark, 0.4))
        }
        let mouth = Self.curve(
            Point(centre.x - head * 0.2, centre.y + head * 0.7),
            Point(centre.x - head * 0.06, centre.y + head * 0.66),
            Point(centre.x + head * 0.06, centre.y + head * 0.66),
            Point(centre.x + head * 0.2, centre.y + head * 0.69))
        let lip = Self.curve(
            Point(centre.x + head * 0.2, centre.y + head * 0.69),
            Point(centre.x + head * 0.1, centre.y + head * 0.83),
            Point(centre.x - head * 0.1, centre.y + head * 0.83),
            Point(centre.x - head * 0.2, centre.y + head * 0.7))
        canvas.polygon(mouth + lip, colour: skin.mixed(with: RGB(hex: 0xA8323A), 0.6))
    }

    /// What falls behind the shoulders, or stands around the head.
    private mutating func hairBehind(
        _ style: Int, _ centre: Point, _ head: Double, _ hair: RGB
    ) {
        let shade = hair.mixed(with: palette.night, 0.25)
        switch style {
        case 0:
            canvas.polygon(
                blob(x: centre.x, y: centre.y - head * 0.35, radius: head * 1.42, wobble: 0.05),
                colour: shade)
        case 1, 4:
            canvas.rectangle(
                x: centre.x - head * 1.12, y: centre.y - head * 1.1, width: head * 2.24,
                height: head * (style == 1 ? 3.1 : 2.1), cornerRadius: head * 0.9, colour: shade)
        case 2:
            canvas.circle(
                x: centre.x, y: centre.y - head * 1.42, radius: head * 0.46, colour: shade)
        default: break
        }
    }

    private mutating func hairInFront(
        _ style: Int, _ centre: Point, _ head: Double, _ hair: RGB
    ) {
        if style == 5 { return hat(centre, head) }
        let part = style == 3 ? -0.3 : random.number(in: -0.5...0.5)
        let crown = Self.arc(
            x: centre.x, y: centre.y - head * 0.3, radiusX: head * 0.98, radiusY: head * 1.0,
            from: 180, to: 360)
        let fringe = Self.curve(
            Point(centre.x + head * 0.98, centre.y - head * 0.3),
            Point(centre.x + head * 0.86, centre.y - head * 0.7),
            Point(centre.x + head * (part + 0.5), centre.y - head * 0.75),
            Point(centre.x + head * part, centre.y - head * 0.92))
        let other = Self.curve(
            Point(centre.x + head * part, centre.y - head * 0.92),
            Point(centre.x + head * (part - 0.4), centre.y - head * 0.7),
            Point(centre.x - head * 0.86, centre.y - head * 0.6),
            Point(centre.x - head * 0.98, centre.y - head * 0.1))
        canvas.polygon(crown + fringe + other, colour: hair)
    }

    private mutating func hat(_ centre: Point, _ head: Double) {
        let felt = random.pick([palette.night, palette.deep, palette.accent])
        let crown = Self.curve(
            Point(centre.x - head * 0.86, centre.y - head * 0.62),
            Point(centre.x - head * 0.8, centre.y - head * 1.9),
            Point(centre.x + head * 0.8, centre.y - head * 1.9),
            Point(centre.x + head * 0.86, centre.y - head * 0.62))
        canvas.polygon(crown, colour: felt)
        canvas.rectangle(
            x: centre.x - head * 0.86, y: centre.y - head * 0.86, width: head * 1.72,
            height: head * 0.22, colour: felt.mixed(with: palette.pale, 0.5))
        canvas.ellipse(
            x: centre.x, y: centre.y - head * 0.62, radiusX: head * 1.5, radiusY: head * 0.2,
            colour: felt)
    }

    private func glasses(_ centre: Point, _ head: Double) {
        for side in [-1.0, 1.0] {
            let x = centre.x + side * head * 0.36
            let ring = Self.arc(
                x: x, y: centre.y - head * 0.04, radiusX: head * 0.27, radiusY: head * 0.25,
                from: 0, to: 360)
            canvas.circle(
                x: x, y: centre.y - head * 0.04, radius: head * 0.25, colour: palette.pale,
                alpha: 0.2)
            band(ring, width: head * 0.055, colour: palette.night)
        }
        stroke(
            [
                Point(centre.x - head * 0.1, centre.y - head * 0.06),
                Point(centre.x + head * 0.1, centre.y - head * 0.06),
            ], width: head * 0.055, colour: palette.night)
    }
}
