import Foundation

/// What posters of shows and films show, for an area of 680 × 1000.
enum Posters {
    static func mountains(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let night = pen.chance(0.4) ? 1.0 : 0
        let (x, y) = (w * pen.any(0.25, 0.75), h * pen.any(0.42, 0.52))
        let sun = pen.any(48, 92)
        let dim = 25 * night
        pen.cover(pen.sky(25 - dim, 50 - dim, 75 - dim, 100 - dim, 100 - dim))
        pen.stars(Int(130 * night), to: h * 0.45)
        pen.disc(pen.glow(pen.tone(100, accent: 0.6), 0.75), x, y, sun * 4)
        pen.disc(pen.tone(100, accent: 0.3), x, y, sun)
        pen.cover(pen.fade(pen.tone(10), 0.5, 0), height: h * 0.36)
        let mist = pen.fade(pen.tone(85), 0, 0.45, 0)
        pen.times(pen.whole(5, 6)) { pen, _, t in
            let base = h * (0.62 + t * 0.33)
            pen.fill(pen.tone((72 - 10 * night) * (1 - t) * (1 - t * 0.25))) {
                $0.land(base, h * (0.18 - t * 0.06), detail: 7, rough: 0.42 + 0.1 * t)
            }
            pen.fill(pen.tone(0), 0.13) { $0.lowered(30) }
            if t < 0.62 { pen.cover(mist, from: base - 46, height: 90) }
            if t > 0.9 { pen.fill(pen.tone(5)) { $0.firs(26, 74, gap: 19) } }
        }
        pen.birds(pen.whole(3, 8), w - x, y - 80, spread: 95, pen.tone(0))
        pen.title(0.055, 0.29)
    }

    static func city(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let (x, y) = (w * pen.any(0.2, 0.8), h * pen.any(0.36, 0.46))
        let moon = pen.any(46, 96)
        pen.cover(pen.sky(0, 25, 50, 75))
        pen.stars(80, to: h * 0.5)
        pen.disc(pen.glow(pen.tone(75), 0.7), x, y, moon * 3.6)
        pen.disc(pen.tone(100), x, y, moon)
        let mist = pen.fade(pen.tone(75), 0, 0.3, 0)
        pen.times(3) { pen, i, t in
            pen.cover(mist, from: h * (0.66 + 0.06 * t), height: 260)
            let high = h * (0.34 - 0.08 * t)...h * (0.52 - 0.13 * t)
            pen.fill(pen.tone(34 - 13 * i)) {
                $0.street(h * 0.93, (44 + 14 * i)...(96 + 26 * i), high)
            }
            pen.fill(pen.tone(95, accent: 0.45), 0.5 + 0.2 * t) {
                $0.windows(0.07 + 0.1 * i, 4.6, 7.4)
            }
        }
        pen.cover(pen.tone(0), from: h * 0.917)
        for lamp in 0..<Int(w / 112) {
            pen.figure(
                "street lamp", at: (60 + Double(lamp) * 112 + pen.any(-14, 14), h * 0.872))
        }
        pen.title(0.06, 0.27, faces: "narrow grotesque geometric light")
    }

    static func planet(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let (x, y) = (w * pen.any(0.3, 0.7), h * pen.any(0.58, 0.66))
        let (size, tilt) = (pen.any(170, 245), pen.any(-32, 32))
        let isRinged = pen.chance(0.55)
        pen.cover(pen.sky(0, 14, 25, 0))
        let dust = pen.glow(pen.tone(58), 0.4)
        pen.times(4) { pen, _, _ in
            let (x, y) = (pen.any(0, w), pen.any(0.1, 0.9) * h)
            let (a, b) = (pen.any(220, 480), pen.any(160, 380))
            pen.oval(dust, x, y, a, b)
        }
        pen.stars(110, to: h * 3)
        pen.stars(90, to: h)
        let night = pen.gradient(
            .ball,
            [(pen.tone(100), 0.2), (pen.tone(0), 0), (pen.tone(0), 0.72), (pen.tone(0), 0.96)])
        pen.group(x, y, turn: tilt) { pen in
            pen.disc(pen.glow(pen.accent, 0.5), 0, 0, size * 1.7)
            if isRinged { pen.figure("ring back", scale: size / 100) }
            pen.svg += "<clipPath id=\"globe\"><circle r=\"\(size.svg)\"/></clipPath>"
            pen.svg += "<g clip-path=\"url(#globe)\">"
            pen.disc(pen.tone(62), 0, 0, size)
            pen.times(13) { pen, _, _ in
                let (middle, high) = (pen.any(-1, 1) * size, pen.any(0.06, 0.18) * size)
                let paint = pen.tone(pen.pick(40, 55, 75, 90, 100), accent: pen.pick(0, 0, 0, 0.6))
                pen.fill(paint, 0.6) { $0.ellipse(0, middle + size * 0.3, size * 1.25, high) }
            }
            pen.svg += "</g>"
            pen.group(0, 0, turn: -tilt) { $0.disc(night, 0, 0, size + 1) }
            if isRinged { pen.figure("ring front", scale: size / 100) }
        }
        pen.times(pen.whole(1, 3)) { pen, _, _ in
            let r = pen.any(10, 32)
            let (dx, dy) = (pen.side() * size * pen.any(1.1, 1.4), pen.any(-1, 0.9) * size)
            pen.disc(pen.tone(pen.pick(50, 60, 75), accent: pen.pick(0, 0.5)), x + dx, y + dy, r)
            pen.disc(night, x + dx, y + dy, r + 0.5)
        }
        pen.title(0.06, 0.26, faces: "light geometric narrow grotesque")
    }

    /// A table of blocks above the title.
    static func shapes(_ pen: inout Pen) {
        let isDark = pen.chance(0.6)
        let columns = (pen.width / 170).rounded(.up)
        let side = pen.width / columns
        let rows = (pen.height * 0.68 / side).rounded(.down)
        let ink = pen.tone(isDark ? 98 : 10)
        pen.cover(pen.tone(isDark ? 10 : 98))
        Covers.blocks(&pen, columns: Int(columns), rows: Int(rows), side: side)
        let top = (side * rows + 22) / pen.height
        pen.title(top, 0.91 - top, ink, faces: "narrow grotesque geometric", largest: 100)
    }

    /// A large sun behind wires, or behind a hill with something on it.
    static func horizon(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let hasWires = pen.chance(0.35)
        let (sky, ground) = (pen.pick(20.0, 45, 75, 90), pen.pick(2.0, 98))
        let (x, sun) = (w * pen.any(0.3, 0.7), pen.any(165, 235))
        let hill = h * pen.any(0.52, 0.62)
        pen.cover(pen.sky(sky - 8, sky + 6))
        pen.disc(pen.tone(90, accent: 0.72), x, h * pen.any(0.34, 0.44), sun)
        if hasWires {
            let side = pen.side()
            pen.figure(
                "wires", at: (w / 2 - 340 * side + pen.any(-150, 150), h * 0.34),
                scale: pen.any(1, 1.2), flip: side, turn: pen.any(-2, 2))
        } else {
            let bend = pen.any(20, 70)
            pen.fill(pen.tone(ground)) {
                $0.svg += "M0 \((hill + bend).svg)Q\((w / 2).svg) \((hill - bend).svg) "
                $0.svg += "\(w.svg) \((hill + bend).svg)V\((h + 1).svg)H0Z"
            }
            pen.figure(
                pen.pick("bare tree", "person", "house", "spruces"), at: (x, hill),
                scale: pen.any(0.9, 1.15), flip: pen.side())
        }
        let below = hasWires ? sky : ground
        pen.title(0.66, 0.25, pen.tone(below > 50 ? 2 : 98), fromBottom: true)
    }

    static func waves(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let isDay = pen.chance(0.6)
        let (x, y) = (w * pen.any(0.3, 0.7), h * pen.any(0.24, 0.32))
        let sun = pen.any(100, 150)
        pen.cover(isDay ? pen.sky(85, 96, 96) : pen.sky(25, 60, 60))
        pen.disc(pen.gradient(.down, [(pen.accent, 1), (pen.tone(85, accent: 0.7), 1)]), x, y, sun)
        pen.figure("glitter", at: (x, y), scale: sun / 100, flip: pen.side())
        pen.birds(pen.whole(0, 6), w - x, y - sun * 0.3, spread: 80, pen.tone(5))
        pen.times(7) { pen, i, t in
            let y = h * (0.38 + 0.075 * i)
            let (long, phase) = (pen.any(150, 230), pen.any(0, 340))
            let high = pen.any(9, 19) * (1 + t * 0.6)
            let paint = 72 - t * 52
            pen.fill(pen.tone(paint)) { $0.wave(y, high, long, phase: phase) }
            pen.fill(pen.tone(95), 0.6) { $0.wave(y + 16, high, long, phase: phase + 14) }
            pen.fill(pen.tone(paint - 2)) { $0.wave(y + 18.4, high, long, phase: phase + 16) }
            pen.fill(pen.tone(paint - 8)) {
                $0.wave(y + 42, high * 0.8, long * 1.1, phase: phase + 60)
            }
            guard i == 2 else { return }
            pen.figure(
                "boat", at: (w * pen.any(0.2, 0.7), y - 14), scale: pen.any(1.1, 1.6),
                turn: pen.any(-9, 9))
        }
        pen.cover(pen.fade(pen.tone(0), 0, 0.75), from: h * 0.55)
        pen.title(0.68, 0.235, faces: "bookish century bookman narrow light", fromBottom: true)
    }

    static func forest(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let (x, y) = (w * pen.any(0.32, 0.68), h * 0.6)
        pen.cover(pen.sky(50, 66, 82, 60, 10))
        let light = pen.glow(pen.tone(96), 0.85)
        pen.oval(light, x, y - 60, 330, 420)
        pen.times(5) { pen, _, t in
            pen.fill(pen.tone(62 - 56 * t), times: pen.whole(4, 7) + Int(w / 170)) { pen, _ in
                let x = pen.any(-10, w + 10)
                let (wide, lean) = ((7 + 26 * t) * pen.any(0.7, 1.35), pen.any(-16, 16))
                let foot = h * (0.7 + 0.2 * t)
                pen.shape(
                    (x + lean, -5), (x + lean + wide * 0.62, -5), (x + wide, foot - 20),
                    (x + wide * 1.5, foot + 8), (x - wide * 0.5, foot + 8), (x, foot - 20))
                let (fork, up) = (x + (lean + wide) * 0.45, h * pen.any(0.1, 0.24))
                let out = pen.side() * pen.any(26, 95)
                pen.shape(
                    (fork, h * 0.3), (fork + out, up), (fork + wide * 0.1, h * 0.3 - wide))
            }
            pen.cover(light, 0.16, from: h * 0.5, height: h * 0.34)
        }
        pen.cover(pen.fade(pen.tone(6), 0, 0.85, 1, 1), from: h * 0.68)
        pen.grass(16, pen.tone(4), at: (h * 0.82)...(h * 0.9), high: 60)
        if pen.chance(0.8) {
            let (x, flip) = (x + pen.any(-40, 60), pen.side())
            pen.disc(pen.glow(pen.tone(90, accent: 0.8), 0.95), x + 24 * flip, h * 0.73, 170)
            pen.figure("wanderer", at: (x, h * 0.775), scale: 1.15, flip: flip)
        }
        pen.cover(pen.fade(pen.tone(12), 0.85, 0), height: h * 0.28)
        pen.title(0.8, 0.125, faces: "bookish century bookman light", largest: 78, fromBottom: true)
    }

    static func neon(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let horizon = h * pen.any(0.6, 0.66)
        let (x, sun) = (w * pen.any(0.4, 0.6), pen.any(150, 205))
        let y = horizon - sun * 0.5
        pen.cover(pen.sky(0, 12, 25, 55, 55))
        pen.stars(120, to: horizon)
        pen.disc(pen.glow(pen.tone(75), 0.9), x, y, sun * 2.3)
        let light = [
            (pen.tone(100, accent: 0.5), 1.0), (pen.tone(75, accent: 0.25), 1), (pen.tone(60), 1),
        ]
        pen.disc(pen.gradient(.down, light), x, y, sun)
        pen.fill(pen.tone(42), times: 7) { pen, i in
            pen.rect(
                x - sun * 1.02, horizon - sun * (0.86 - 0.135 * i), sun * 2.04, 2 + 1.9 * i)
        }
        if pen.chance(0.5) {
            pen.fill(pen.tone(12)) { $0.land(horizon + 1, h * 0.1, detail: 5, rough: 0.6) }
            pen.stroke(pen.tone(75), 2) { $0.polyline($0.ridge) }
        } else {
            pen.fill(pen.tone(8)) { $0.street(horizon, 26...66, 30...(h * 0.13)) }
            pen.fill(pen.accent, 0.8) { $0.windows(0.16, 3.4, 4.6) }
        }
        pen.cover(pen.sky(45, 16, 8, 0), from: horizon)
        pen.stroke(pen.accent, 1.7, 0.75) { pen in
            for index in 0..<12 {
                let y = horizon + (h - horizon) * pow((Double(index) + 0.2) / 11, 2.1)
                pen.line((0, y), (w, y))
            }
            pen.times(Int(w / 22)) { pen, _, t in
                pen.line((x + (t - 0.5) * w * 1.1, horizon), (x + (t - 0.5) * w * 7.5, h))
            }
        }
        pen.cover(pen.fade(pen.accent, 0, 0.5, 0), from: horizon - 18, height: 36)
        pen.title(0.06, 0.26, faces: "slanted slanted narrow geometric light")
    }

    static func arches(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let (middle, foot) = (w / 2, h * 0.82)
        let isPointed = pen.chance(0.5)
        let warm = pen.pick(0, 0, 0.6)
        pen.cover(pen.tone(8))
        pen.times(pen.whole(6, 8)) { pen, _, t in
            pen.fill(pen.tone(12 + t * t * 74, accent: warm * t * 0.7)) {
                $0.arch(
                    middle, h + 1, 300 - 208 * t, 590 - 290 * t + h - foot, isPointed: isPointed)
            }
        }
        pen.disc(pen.glow(pen.tone(95, accent: 0.3), 0.75), middle, foot - 160, 380)
        pen.fill(pen.sky(88, 100)) { $0.arch(middle, foot, 66, 260, isPointed: isPointed) }
        pen.cover(pen.tone(4), from: foot)
        pen.fill(pen.sky(80, 35, 5)) {
            $0.shape(
                (middle - 66, foot), (middle + 66, foot), (middle + 240, h + 1),
                (middle - 240, h + 1))
        }
        pen.stroke(pen.tone(0), 2, 0.35) { pen in
            pen.times(6) { pen, i, _ in
                let y = foot + (h - foot) * pow((i + 1) / 7, 1.7)
                pen.line((0, y), (w, y))
            }
        }
        pen.figure("figure", at: (middle + pen.any(-22, 22), foot + 6), scale: pen.any(0.9, 1.25))
        pen.cover(pen.fade(pen.tone(0), 0.8, 0.2, 0, 0.2, 0.8, direction: .across))
        pen.title(0.045, 0.19)
    }

    static func botanical(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let ground = pen.pick(6.0, 14) + (pen.chance(0.5) ? 0 : pen.pick(68, 84))
        let isLight = ground > 50
        let (x, y) = (w / 2, h * 0.76)
        let (stem, soft) = (isLight ? 8.0 : 92, isLight ? 48.0 : 78)
        pen.cover(pen.tone(ground))
        pen.disc(pen.tone(isLight ? ground - 4 : ground + 36), x, h * 0.56, min(240, w * 0.36))
        for (count, tone, spread, leaf) in [(9, soft, 64.0, 1.4), (6, stem, 46, 1)] {
            pen.times(count) { pen, _, t in
                let turn = -90 + spread * (2 * t - 1) + pen.any(-7, 7)
                let (long, size) = (pen.any(240, 370), pen.any(15, 24) * leaf)
                pen.fill(pen.tone(tone + pen.any(-14, 8))) {
                    $0.sprig(x + (t - 0.5) * 44, y - 74, turn: turn, long, leaves: 9, size)
                }
            }
        }
        pen.times(pen.whole(6, 8)) { pen, _, t in
            let (dx, dy) = Pen.along(-148 + 116 * t + pen.any(-6, 6), pen.any(250, 405))
            let (fx, fy) = (x + dx, y - 73 + dy)
            pen.stroke(pen.tone(stem), 3) {
                $0.svg += "M\(x.svg) \((y - 60).svg)Q\((x + dx * 0.3).svg) \((y - 230).svg) "
                $0.svg += "\(fx.svg) \(fy.svg)"
            }
            pen.figure(
                "blossom \(pen.whole(0, 2))", pen.tone(85, accent: pen.pick(1, 1, 0.6)),
                at: (fx, fy), scale: pen.any(0.75, 1.2), turn: pen.any(0, 72))
        }
        let glaze = pen.tone(ground > 40 ? 25 : 50, accent: pen.pick(0, 0.35))
        pen.figure(
            "vase \(pen.whole(0, 2))", glaze, pen.tone(90, accent: pen.pick(0, 0.4)), at: (x, y),
            scale: 1.15)
        pen.title(
            0.045, 0.175, pen.tone(isLight ? 3 : 98),
            faces: "geometric bookish century bookman grotesque light", largest: 100)
    }

    static func lighthouse(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let flip = pen.side()
        let (x, sea) = (w * (0.5 - 0.2 * flip), h * 0.76)
        let lamp = sea - 315
        pen.cover(pen.sky(0, 16, 30, 50, 75, 75))
        pen.stars(150, to: h * 0.62)
        pen.fill(pen.tone(75), 0.1, times: 5) { pen, _ in
            pen.ellipse(
                pen.any(0, w), h * pen.any(0.4, 0.7), pen.any(120, 300),
                pen.any(5, 14))
        }
        pen.figure("beams", at: (x, lamp), flip: flip, turn: 6 * flip)
        pen.figure("beams", at: (x, lamp), scale: 0.6, flip: -flip, turn: 6 * flip)
        pen.cover(pen.sky(32, 2), from: sea)
        pen.strokes(110, from: sea, pen.tone(75), 0.25)
        pen.strokes(60, from: sea, pen.tone(100), 0.55, around: x + flip * 190)
        pen.fill(pen.tone(8)) { $0.blob(x, sea + 28, 74, wobble: 0.16, stretch: 2.8) }
        pen.figure("lighthouse", at: (x, sea))
        pen.disc(pen.glow(pen.tone(100, accent: 0.1), 0.95), x, lamp, 150)
        pen.title(0.06, 0.24, faces: "bookish century narrow light bookman")
    }

    static func deep(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let surface = h * pen.any(0.3, 0.36)
        let flip = pen.side()
        pen.cover(pen.sky(75, 100), height: h * 0.4)
        let sea = pen.sky(72, 52, 38, 22, 6)
        pen.fill(sea) { $0.wave(surface, 4, 120, phase: 0) }
        let ray = pen.fade(pen.tone(100), 0.32, 0)
        pen.times(9) { pen, _, _ in
            let (x, wide) = (pen.any(-0.1, 1) * w, pen.any(12, 50))
            let aside = pen.any(-30, 150)
            pen.fill(ray) {
                $0.shape(
                    (x, surface + 3), (x + wide, surface + 3), (x + wide * 2.4 + aside, h * 0.86),
                    (x + aside, h * 0.86))
            }
        }
        pen.fill(pen.tone(100), 0.5, times: 46) { pen, _ in
            pen.circle(
                pen.any(0, w), pen.any(surface + 20, h * 0.95), pen.any(0.7, 2.4))
        }
        pen.figure(
            "angler", at: (w * pen.any(0.25, 0.75), surface + 1), scale: pen.any(0.8, 1.1),
            flip: pen.side())
        pen.figure("shoal", at: (w / 2, surface + 90), flip: flip)
        pen.figure(
            "whale", pen.sky(25, 8, 0), at: (w * pen.any(0.42, 0.56), h * pen.any(0.52, 0.6)),
            scale: pen.any(1, 1.2), flip: flip, turn: pen.any(-8, 8))
        if pen.chance(0.6) {
            pen.fill(pen.tone(3)) { $0.land(h * 0.98, h * 0.05, detail: 5, rough: 0.6) }
            pen.grass(9, pen.tone(5), at: (h * 0.97)...(h * 0.99), high: 120)
        }
        pen.title(0.7, 0.21, faces: "light light bookish geometric narrow", fromBottom: true)
    }
}
