import Foundation

/// What covers of records show, for an area of 1000 × 1000.
enum Covers {
    /// A table of blocks of two tones each.
    static func blocks(_ pen: inout Pen, columns: Int, rows: Int, side: Double) {
        for index in 0..<(columns * rows) {
            let ground = pen.pick(0.0, 25, 50, 75, 100)
            let tone = (ground + pen.pick(50, 75, 100)).truncatingRemainder(dividingBy: 125)
            let paint = pen.tone(tone, accent: pen.pick(0, 0, 1))
            let (x, y) = (Double(index % columns) + 0.5, Double(index / columns) + 0.5)
            let turn = Double(pen.whole(0, 3)) * 90
            pen.group(x * side, y * side, scale: side / 100, turn: turn) { pen in
                pen.fill(pen.tone(ground)) { $0.rect(-50.2, -50.2, 100.4, 100.4) }
                pen.figure("block \(pen.whole(0, 10))", paint, at: (-50, -50))
            }
        }
    }

    /// Overlapping circles, quarter circles or slanted bars, with words as a school of design set them.
    static func modernist(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let isDark = pen.chance(0.25)
        let ink = pen.tone(isDark ? 96 : 0)
        let unit = w / 4
        func paint(_ pen: inout Pen) -> Paint {
            pen.tone(pen.pick(50, 75, isDark ? 95 : 25), accent: pen.pick(0, 0, 1))
        }
        pen.cover(pen.tone(isDark ? 2 : 98))
        switch pen.whole(0, 2) {
        case 0:
            let turn = pen.any(0, 40)
            pen.times(3) { pen, i, _ in
                let (dx, dy) = Pen.along(turn + i * 120, unit * 0.72)
                let color = i == 0 ? pen.accent : pen.tone(pen.pick(50, 50, 75))
                pen.disc(color, w / 2 + dx, h * 0.52 + dy, unit * pen.any(0.8, 1.2), 0.84)
            }
            pen.disc(pen.tone(isDark ? 95 : 25), w / 2, h * 0.52, unit * 0.3)
        case 1:
            pen.times(12) { pen, i, _ in
                guard pen.chance(0.9) else { return }
                let (x, y) = (
                    w * 0.17 + Double(Int(i) % 4) * w * 0.22,
                    h * 0.28 + Double(Int(i) / 4) * w * 0.22
                )
                let color = paint(&pen)
                pen.group(x, y, scale: w * 0.0022, turn: Double(pen.whole(0, 3)) * 90) {
                    $0.figure("block 0", color, at: (-50, -50), scale: $0.pick(1, 1, 1, 0.5))
                }
            }
        default:
            pen.group(w / 2, h / 2, turn: pen.pick(-45, 45, 30, -30)) { pen in
                pen.times(6) { pen, i, _ in
                    let long = unit * pen.any(1.2, 3.6)
                    let (x, y) = (
                        w * pen.any(-0.2, 0.2) - long / 2, h * -0.28 + i * unit * 0.42
                    )
                    pen.fill(paint(&pen), 0.92) { $0.rect(x, y, long, unit * 0.3) }
                }
                pen.disc(pen.accent, w * 0.22, h * -0.14, unit * 0.62, 0.95)
            }
        }
        pen.text(
            "artist", 0.06, 0.045, 0.62, 0.12, ink, faces: "grotesque", largest: 46, anchor: "start"
        )
        pen.text(
            "title", 0.06, 0.82, 0.7, 0.125, ink, faces: "geometric", largest: 50, anchor: "start",
            fromBottom: true)
        pen.text(
            "imprint", 0.7, 0.05, 0.24, 0.1, ink, faces: "geometric", largest: 20, anchor: "end")
    }

    /// Lights that run into each other.
    static func gradient(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        pen.cover(pen.sky(10, 50, 75))
        let lights = [
            (pen.tone(57), 0.4...0.7), (pen.accent, 0.3...0.55), (pen.tone(5), 0.3...0.6),
            (pen.tone(100), 0.25...0.42),
        ].map { (pen.glow($0.0, 0.95), $0.1) }
        for (paint, sizes) in lights + lights {
            let r = w * pen.random.number(in: sizes)
            pen.disc(paint, w * pen.any(-0.05, 1.05), h * pen.any(-0.05, 1.05), r)
        }
        let rings = pen.pick(0, 1, 7)
        pen.times(rings) { pen, i, _ in
            let r = rings == 1 ? pen.any(0.24, 0.36) : 0.08 + 0.045 * i
            pen.stroke(pen.tone(100), 2.5, 0.85) { $0.circle(w / 2, h / 2, w * r) }
        }
        pen.text(
            "title", 0.07, 0.76, 0.86, 0.15, pen.tone(100), faces: "light geometric grotesque",
            largest: 66, fromBottom: true)
        pen.text(
            "artist", 0.07, 0.918, 0.86, 0.05, pen.tone(100), faces: "light geometric", largest: 28)
    }

    /// Rays, a rainbow or a record.
    static func sunburst(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let kind = pen.whole(0, 2)
        pen.cover(pen.tone(92))
        switch kind {
        case 0: pen.figure("sun", at: (w / 2, h * 0.42), scale: w / 400, turn: pen.any(0, 20))
        case 1:
            let side = pen.pick(0.0, 1)
            pen.times(7) { pen, i, _ in
                let paint = pen.tone(i == 6 ? 92 : 80 - i * 15, accent: i == 0 ? 1 : 0)
                pen.disc(paint, w * side, h * 0.98, w * (0.66 - 0.08 * i))
            }
            pen.disc(pen.tone(75, accent: 0.6), w * (0.8 - 0.6 * side), h * 0.34, w * 0.11)
        default:
            pen.cover(pen.tone(pen.pick(50, 70)), height: h * 0.43)
            pen.cover(pen.tone(pen.pick(30, 60)), from: h * 0.43)
            pen.figure("record", at: (w / 2, h * 0.43), scale: w * 0.0038)
        }
        // The rainbow stands below its words.
        let up = kind == 1 ? 0.8 : 0
        if kind != 1 { pen.cover(pen.tone(94), from: h * 0.83) }
        pen.text(
            "artist", 0.06, 0.85 - up, 0.88, 0.08, pen.tone(5),
            faces: "geometric bookish bookman century", largest: 60, anchor: "middle")
        pen.text(
            "title", 0.06, 0.93 - up, 0.88, 0.05, pen.tone(5), faces: "grotesque", largest: 30,
            anchor: "middle")
    }

    /// One small sign in the middle.
    static func minimal(_ pen: inout Pen) {
        let ground = pen.pick(3.0, 6, 70, 75, 96)
        let ink = pen.tone(ground > 45 ? 3 : 98)
        pen.cover(pen.tone(ground))
        pen.figure(
            "sign \(pen.whole(0, 5))", ink, at: (pen.width / 2, pen.height / 2),
            scale: pen.width / 1_000 * pen.any(0.9, 1.1), flip: pen.side())
        pen.text(
            "artist", 0.1, 0.85, 0.8, 0.05, ink, faces: "geometric light grotesque", largest: 30,
            anchor: "middle")
        pen.text(
            "title", 0.1, 0.9, 0.8, 0.05, ink, faces: "century geometric", largest: 25,
            anchor: "middle")
    }

    /// Lines with a hill in their middle, one before the other.
    static func ridgelines(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let isLight = pen.chance(0.35)
        let (paper, ink) = (isLight ? 94.0 : 2, isLight ? 4.0 : 96)
        let (rough, accent) = (pen.any(0.35, 0.75), pen.pick(0, 0, 1.0))
        pen.cover(pen.tone(paper))
        pen.times(pen.whole(30, 42)) { pen, _, t in
            let (y, high) = (h * (0.28 + t * 0.5), h * pen.any(0.06, 0.13))
            let middle = w * pen.any(0.42, 0.58)
            pen.stroke(pen.tone(ink, accent: accent * t), 2.2, fill: pen.tone(paper)) { pen in
                let points = stride(from: w * 0.1, through: w * 0.9, by: 8).map { x -> Point in
                    let far = (x - middle) / (w * 0.16)
                    let rise = exp(-far * far) * pen.any(1 - rough, 1 + rough)
                    return (x, y - high * (rise + pen.any(0, 0.04)))
                }
                pen.polyline(points)
            }
        }
        let faces = "grotesque light narrow"
        pen.text(
            "artist", 0.1, 0.07, 0.8, 0.07, pen.tone(ink), faces: faces, largest: 40,
            anchor: "middle")
        pen.text(
            "title", 0.1, 0.87, 0.8, 0.06, pen.tone(ink), faces: faces, largest: 30,
            anchor: "middle")
    }

    /// Bars as long as music is loud, above or below large letters.
    static func bars(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let isLow = pen.chance(0.5)
        let high = h * 0.56
        let top = isLow ? h - high : 0
        pen.cover(pen.tone(97))
        pen.cover(pen.tone(pen.pick(50, 75), accent: pen.pick(0, 1, 1)), from: top, height: high)
        let kind = pen.whole(0, 3)
        pen.fill(pen.tone(3)) { pen in
            switch kind {
            case 0:
                pen.times(11) { pen, i, _ in
                    pen.rect(w / 11 * (i + 0.12), top, w / 11 * 0.76, high * pen.any(0.3, 0.95))
                }
            case 1:
                pen.times(48) { pen, i, _ in
                    let row = (i / 12).rounded(.down)
                    guard pen.chance(0.7) else { return }
                    pen.rect(
                        w * (i / 12 - row), top + (row + 0.1) * high / 4,
                        w * pen.pick(0.03, 0.05, 0.08), high * 0.2)
                }
            case 2:
                pen.times(26) { pen, i, _ in
                    let half = high * 0.46 * abs(sin(i * 0.4 + pen.any(0, 0.16)))
                    pen.rect(w * i / 26, top + high / 2 - half, w / 26 * 0.55, half * 2)
                }
            default:
                let x = w * pen.any(0.3, 0.7)
                pen.times(8) { pen, i, _ in
                    let (near, far) = (x + (i - 3.5) * 26, x + (i - 3.5) * w * 0.2)
                    pen.shape(
                        (near - 12, top), (near + 12, top), (far + 34, top + high),
                        (far - 34, top + high))
                }
            }
        }
        let y = isLow ? 0.04 : 0.59
        pen.text("artist", 0.05, y, 0.9, 0.235, pen.tone(3), faces: "narrow", anchor: "start")
        pen.text(
            "title", 0.05, y + 0.235, 0.9, 0.13, pen.tone(46), faces: "narrow", largest: 84,
            anchor: "start",
            fromBottom: true)
        pen.text(
            "issue", 0.05, isLow ? 0.967 : 0.012, 0.9, 0.03, pen.tone(3), faces: "grotesque",
            largest: 17,
            anchor: "end")
    }

    /// Leaves, flowers and pebbles, cut from paper.
    static func cutouts(_ pen: inout Pen) {
        let (w, h) = (pen.width / 3, pen.height * 0.272)
        pen.cover(pen.tone(96))
        for index in 0..<9 {
            let (ground, isAccent) = (pen.pick(5.0, 30, 50, 75, 94), pen.chance(0.25))
            let (x, y) = (w * Double(index % 3), h * Double(index / 3))
            pen.fill(pen.tone(ground, accent: isAccent ? 1 : 0)) { $0.rect(x, y, w + 1, h + 1) }
            let tone = (ground + pen.pick(45, 60)).truncatingRemainder(dividingBy: 100)
            pen.figure(
                "cutout \(pen.whole(0, 8))",
                pen.tone(tone, accent: isAccent ? 0 : pen.pick(0, 0, 1)),
                at: (x + w / 2, y + h / 2), scale: h / 97, flip: pen.side(), turn: pen.any(-40, 40))
        }
        pen.text(
            "title", 0.04, 0.845, 0.9, 0.075, pen.tone(3), faces: "geometric bookman bookish",
            largest: 50, anchor: "start")
        pen.text(
            "artist", 0.04, 0.925, 0.9, 0.05, pen.tone(3), faces: "grotesque geometric",
            largest: 28, anchor: "start")
    }

    /// Dots that grow where waves meet.
    static func halftone(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let ground = pen.pick(3.0, 3, 75, 96)
        let ink = pen.tone(ground > 50 ? ground - 65 : ground + 66, accent: pen.pick(0, 0, 1))
        let (kind, step) = (pen.whole(0, 2), w / 44)
        let (x, y) = (w * pen.any(0.3, 0.7), h * pen.any(0.3, 0.55))
        let (pace, phase, slant) = (
            pen.any(9, 16) * .pi, pen.any(0, 6), pen.any(0.4, 1.2)
        )
        pen.cover(pen.tone(ground))
        pen.fill(ink) { pen in
            for dot in 0..<(44 * 44) {
                let (cx, cy) = ((Double(dot % 44) + 0.5) * step, (Double(dot / 44) + 0.5) * step)
                let (dx, dy) = ((cx - x) / w, (cy - y) / w)
                let wave =
                    switch kind {
                    case 0: sin((dx * dx + dy * dy).squareRoot() * pace + phase)
                    case 1: sin((dx * slant + sin(dy * 5.8 + phase) * 0.16) * pace * 0.7)
                    default: sin(dx * pace / 2 + phase) * sin(dy * pace / 2) * 1.3
                    }
                let fading = max(0, min(1, (h * 0.86 - cy) / 150))
                let r = max(0, min(1, wave / 2 + 0.5)) * step * 0.74 * fading
                if r > 0.3 { pen.circle(cx, cy, r) }
            }
        }
        pen.text(
            "artist", 0.05, 0.855, 0.9, 0.075, ink, faces: "slanted", largest: 62, anchor: "start")
        pen.text(
            "title", 0.05, 0.932, 0.9, 0.05, pen.tone(ground > 50 ? 3 : 98), faces: "grotesque",
            largest: 28,
            anchor: "start")
    }

    /// Sheets of paper with holes, one below the other.
    static func contours(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let isLight = pen.chance(0.5)
        let (x, y) = (w * pen.any(0.35, 0.65), h * pen.any(0.32, 0.5))
        let (wobble, stretch) = (pen.any(0.16, 0.3), pen.any(0.8, 1.25))
        let (low, high) = (pen.any(5, 20), pen.any(85, 100))
        let (outer, inner) = isLight ? (high, low) : (low, high)
        pen.cover(pen.tone(outer))
        pen.times(pen.whole(9, 12)) { pen, _, t in
            let far = 36 * (1.1 - t)
            let (x, y) = (x + pen.any(-far, far), y + pen.any(-far, far))
            let (r, wobble) = (w * (1 - 0.94 * t), wobble * (0.75 + 0.25 * t))
            let before = pen.random
            pen.fill(pen.tone(0), 0.16) {
                $0.blob(x + 6, y + 9, r + 6, wobble: wobble, stretch: stretch)
            }
            pen.random = before
            pen.fill(pen.tone(outer + t * (inner - outer))) {
                $0.blob(x, y, r, wobble: wobble, stretch: stretch)
            }
        }
        pen.fill(pen.accent) { $0.blob(x, y, w * $0.any(0.03, 0.05), wobble: 0.25) }
        pen.cover(pen.gradient(.ball, [(pen.tone(100), 0.16), (pen.tone(0), 0.2)]))
        pen.cover(pen.fade(pen.tone(isLight ? 100 : 0), 0, 0.87), from: h * 0.66)
        let ink = pen.tone(isLight ? 3 : 98)
        pen.text(
            "title", 0.08, 0.825, 0.84, 0.09, ink, faces: "century bookman bookish", largest: 54,
            anchor: "middle")
        pen.text(
            "artist", 0.08, 0.915, 0.84, 0.04, ink, faces: "light", largest: 22, anchor: "middle")
    }
}
