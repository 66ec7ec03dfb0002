import Foundation

/// What paintings and tiles of the museum show.
enum Paintings {
    static func stillLife(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let (table, side) = (h * pen.any(0.6, 0.66), pen.side())
        let x = w * 0.5 + pen.any(-50, 50)
        pen.wall()
        pen.cover(pen.tone(12), from: table + 24)
        pen.figure(
            "cloth", at: (0, table), scale: (h - table) / 340, flip: w / 1_250 / (h - table) * 340)
        pen.figure("jug", at: (x + side * w * 0.24, table + 50), scale: 1.35)
        pen.figure("rummer", at: (x - side * w * 0.27, table + 40), scale: 1.25)
        pen.group(x, table + 62, scale: 1.22) { pen in
            pen.oval("#000", 55, 8, 245, 16, 0.3)
            pen.times(pen.whole(8, 11)) { pen, _, t in
                let up = (60 - abs(t - 0.5) * 100) * pen.any(0.4, 1.5)
                let fruit = pen.color(
                    pen.pick(196, 214, 150, 120, 178), pen.pick(70, 120, 150, 60, 96),
                    pen.pick(30, 40, 48))
                pen.figure(
                    "fruit", fruit, at: (-128 + 256 * t + pen.any(-14, 14), -112 - up),
                    scale: pen.any(0.84, 1.12), turn: pen.any(-20, 20))
            }
            pen.figure("bowl")
        }
        let (gx, gy) = (x + side * pen.any(180, 270), table + 96)
        let grape = pen.pick(pen.color(54, 36, 70), pen.color(116, 132, 52))
        pen.fill("#4c5a2a") { pen in
            pen.blob(gx - 20, gy - 70, 30, wobble: 0.4)
            pen.sprig(gx - 20, gy - 60, turn: -150, 80, leaves: 2, 22)
        }
        for _ in 0..<pen.whole(15, 22) {
            pen.figure("grape", grape, at: (gx + pen.any(-62, 62), gy - 44 + pen.any(-22, 38)))
        }
        pen.figure("lemon plate", at: (x - side * pen.any(170, 250), table + 108))
        pen.figure("lemon", at: (x - side * 200 - 40, table + 88), turn: -14)
        pen.figure("knife", at: (x + 40, table + 128), turn: 14)
        for _ in 0..<pen.whole(2, 5) {
            let nut = pen.color(pen.any(120, 160), pen.any(76, 104), pen.any(44, 60))
            pen.figure("nut", nut, at: (w * pen.any(0.14, 0.86), table + pen.any(80, 120)))
        }
    }

    static func harbor(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let sea = h * pen.any(0.58, 0.68)
        pen.cover(pen.sky(55, 75, 96, 96))
        pen.clouds(to: sea)
        pen.fill(pen.tone(60), 0.7) { $0.land(sea + 1, 16) }
        pen.fill(pen.tone(58), 0.8, times: 5) { pen, _ in
            let x = pen.any(0, w)
            pen.shape((x, sea), (x + 4, sea - pen.any(24, 52)), (x + 8, sea))
            pen.rect(x - 14, sea - 12, 30, 12)
        }
        pen.cover(pen.sky(74, 58, 34), from: sea)
        pen.strokes(150, from: sea, pen.tone(95), 0.3, thick: 2.6)
        pen.strokes(110, from: sea, pen.tone(20), 0.22, thick: 3.4)
        pen.times(pen.whole(4, 8)) { pen, i, _ in
            let near = pow((i + 1) / 8, 1.3)
            let (x, y) = (w * pen.any(0.06, 0.94), sea + 4 + near * (h - sea) * 0.36)
            let (scale, flip) = (0.62 + near * 1.35, pen.side())
            if pen.chance(0.67) {
                pen.figure("ship", at: (x, y), scale: scale, flip: flip)
            } else {
                let sail = pen.tone(pen.pick(70, 90), accent: pen.pick(0, 0.3))
                pen.figure("barge", sail, at: (x, y), scale: scale, flip: flip)
            }
        }
        pen.figure("rowers", at: (w * pen.any(0.2, 0.8), h * pen.any(0.86, 0.92)), scale: 1.3)
        pen.birds(pen.whole(3, 7), w * pen.any(0.2, 0.8), sea * 0.6, spread: 130, pen.tone(15))
    }

    static func windmill(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let land = h * pen.any(0.62, 0.7)
        let (x, size) = (w * pen.pick(0.3, 0.66, 0.72), min(w, h) / 900 * pen.any(0.95, 1.15))
        pen.cover(pen.sky(48, 70, 96, 96))
        pen.clouds(to: land)
        let grass = pen.sky(62, 42, 28, 16)
        pen.fill(grass) { $0.land(land + 3, 8, detail: 5, rough: 0.5) }
        pen.fill(pen.tone(34)) { pen in
            pen.times(Int(w / 26)) { pen, _, _ in
                pen.blob(
                    pen.any(0, w), land - 3, pen.any(7, 20), wobble: 0.25, stretch: 1.3)
            }
        }
        pen.figure("church", pen.tone(34), at: (w * pen.any(0.1, 0.9), land), scale: 0.7)
        pen.strokes(70, from: land, pen.tone(55), 0.6, long: 110, thick: 4)
        pen.strokes(70, from: land, pen.tone(12), 0.35, long: 110, thick: 5)
        let (a, b, far) = (w * pen.any(0.3, 0.7), w * pen.any(0.2, 0.8), h - land)
        let water = pen.sky(85, 55)
        pen.fill(water) { pen in
            func at(_ x: Double, _ share: Double) -> String {
                "\(x.svg) \((land + 6 + far * share).svg) "
            }
            pen.svg += "M\(at(a, 0))Q\(at(a + w * 0.16, 0.3))\(at(b, 0.52))T\(at(b - w * 0.05, 1))"
            pen.svg += "H\((b + w * 0.36).svg)Q\(at(b + w * 0.02, 0.8))\(at(b + w * 0.13, 0.56))"
            pen.svg += "Q\(at(a + w * 0.24, 0.3))\(at(a + 12, 0))Z"
        }
        for (x, y, scale) in [
            (w * pen.any(0.05, 0.95), land + 6, size * 0.3),
            (x, land + 6 + 52 * size, size * 1.05),
        ] {
            pen.figure("mill", at: (x, y), scale: scale)
            pen.figure(
                "sails", at: (x - 8 * scale, y - 218 * scale), scale: scale, turn: pen.any(12, 78))
        }
        pen.times(pen.whole(3, 6)) { pen, _, _ in
            let near = pen.any(0.45, 0.85)
            pen.figure(
                "cow", pen.tone(pen.pick(96, 30, 6)),
                at: (w * pen.any(0.05, 0.95), land + far * near), scale: (0.5 + near) * 1.1,
                flip: pen.side())
        }
        pen.grass(14, pen.tone(10), at: h...(h + 4), high: 70)
        pen.birds(pen.whole(3, 8), w * pen.any(0.2, 0.8), land / 2, spread: 130, pen.tone(15))
    }

    static func winter(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let ice = h * pen.any(0.36, 0.44)
        pen.cover(pen.sky(58, 88, 88))
        pen.clouds(to: ice)
        pen.fill(pen.tone(66)) { $0.land(ice + 8, 24) }
        pen.fill(pen.tone(60), 0.8, times: Int(w / 30)) { pen, _ in
            pen.blob(pen.any(0, w), ice - 2, pen.any(8, 22), wobble: 0.3, stretch: 1.2)
        }
        pen.times(pen.whole(3, 5)) { pen, _, t in
            pen.figure(
                "cottage", pen.tone(pen.pick(30, 45), accent: pen.pick(0.3, 0.7)),
                at: (w * (0.06 + 0.86 * t) + pen.any(-60, 60), ice + 22), scale: pen.any(0.7, 1.25))
        }
        pen.figure("church", pen.tone(45), at: (w * pen.any(0.2, 0.8), ice))
        let surface = pen.sky(92, 86, 72)
        pen.fill(surface) { $0.wave(ice + 14, 3, w, phase: 90) }
        pen.strokes(90, from: ice + 16, pen.tone(100), 0.7, long: 130)
        pen.strokes(70, from: ice + 16, pen.tone(50), 0.25, long: 110)
        pen.times(pen.whole(70, 100)) { pen, _, t in
            let near = pow(t, 1.4)
            pen.figure(
                "skater \(pen.whole(0, 2))",
                pen.tone(pen.pick(8, 25, 45), accent: pen.pick(0, 0, 0.9)),
                pen.tone(pen.pick(10, 60, 95), accent: pen.pick(0, 0.8)),
                at: (w * pen.any(0.01, 0.99), ice + 26 + (h - ice) * 0.84 * near),
                scale: (0.2 + near * 0.78) * pen.any(0.9, 1.15), flip: pen.side())
        }
        for side in [0.04, 0.94] {
            let (x, foot, tall) = (
                w * side + pen.any(-20, 20), h * pen.any(0.86, 0.98),
                h * pen.any(0.46, 0.6)
            )
            pen.fill(pen.tone(15)) {
                $0.tree(x, foot, tall, turn: -90 + $0.any(-8, 8), tall / 16)
            }
            pen.fill(pen.tone(100), 0.8) { $0.blob(x, h * 0.93, 60, wobble: 0.2, stretch: 1.6) }
        }
        pen.birds(pen.whole(4, 9), w * pen.any(0.2, 0.8), ice * 0.4, spread: 150, pen.tone(12))
    }

    static func tiles(_ pen: inout Pen) {
        let columns = Int((pen.width / 190).rounded())
        let side = pen.width / Double(columns)
        let (kind, corner, first) = (pen.whole(0, 2), pen.whole(0, 2), pen.whole(0, 5))
        let shine = pen.gradient(.ball, [(pen.tone(100), 0.55), (pen.tone(100), 0)])
        pen.cover(pen.tone(62))
        for index in 0..<(columns * Int((pen.height / side).rounded(.up))) {
            let (x, y) = (index % columns, index / columns)
            let which = kind == 2 ? pen.whole(0, 3) : (x + y) % 2
            pen.group((Double(x) + 0.5) * side, (Double(y) + 0.5) * side, scale: side / 100) {
                pen in
                pen.fill(pen.tone(96 + pen.any(-3, 3))) { $0.rect(-49.3, -49.3, 98.6, 98.6) }
                let paint = pen.tone(pen.pick(35, 42, 50))
                for turn in [0.0, 90, 180, 270] {
                    pen.group(0, 0, turn: turn) {
                        $0.figure("corner \(corner)", paint, at: (-50, -50))
                    }
                }
                pen.figure("tile \((first + which * (1 + kind)) % 6)", turn: pen.any(-0.8, 0.8))
                pen.fill(shine) { $0.rect(-49.3, -49.3, 98.6, 98.6) }
            }
        }
    }

    static func bouquet(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let (x, y, foot) = (w * 0.5, h * 0.42, h * 0.88)
        pen.wall()
        pen.cover(pen.sky(48, 28, 18, 8), from: h * 0.84)
        pen.oval(pen.tone(0), x + 70, foot + 26, 230, 34, 0.4)
        pen.times(9) { pen, _, t in
            let turn = -186 + 192 * t + pen.any(-8, 8)
            pen.fill(pen.color(pen.any(40, 80), pen.any(60, 92), pen.any(36, 56))) {
                $0.sprig(
                    x, y + 130, turn: turn, $0.any(260, 440), leaves: $0.whole(3, 5), $0.any(34, 56)
                )
            }
        }
        pen.times(pen.whole(21, 26)) { pen, i, _ in
            // The outer ones are smaller, and farther apart.
            let (near, far, size) = i > 7 ? (195.0, 312.0, 0.88) : (30, 120, 1.12)
            let turn = i * 137.5 + pen.any(-12, 12)
            let (dx, dy) = Pen.along(turn, pen.any(near, far))
            let paint = pen.color(
                pen.pick(206, 228, 240, 222, 120, 176), pen.pick(70, 110, 190, 214, 88),
                pen.pick(56, 70, 120, 150, 190))
            pen.figure(
                "flower \(pen.whole(0, 3))", paint, at: (x + dx * 0.95, y + dy - 20),
                scale: pen.any(1, 1.53) * size, turn: turn + 70)
        }
        for _ in 0..<pen.whole(6, 10) {
            pen.figure(
                "blossom", at: (x + pen.any(-310, 310), y + pen.any(-260, 190)),
                scale: pen.any(0.8, 1.2), turn: pen.any(0, 72))
        }
        pen.figure("jar \(pen.whole(0, 2))", at: (x, foot))
        pen.figure("shine", at: (x, foot))
        for _ in 0..<pen.whole(3, 6) {
            pen.figure(
                "fallen", pen.color(pen.any(190, 236), pen.any(90, 190), pen.any(80, 130)),
                at: (w * pen.any(0.1, 0.9), foot + pen.any(24, 56)), turn: pen.any(0, 360))
        }
        if pen.chance(0.5) {
            pen.figure(
                "butterfly", at: (x + pen.side() * pen.any(210, 300), y - pen.any(190, 280)),
                scale: 1.1, turn: pen.any(-30, 30))
        }
    }

    static func sitter(_ pen: inout Pen) {
        pen.wall()
        let size = min(pen.width / 1_000, pen.height / 1_250)
        pen.group(pen.width / 2, pen.height * 0.395, scale: size, flip: pen.side()) { pen in
            let isWoman = pen.chance(0.5)
            pen.figure("sitter coat")
            if pen.chance(0.4) { pen.figure("chain") }
            pen.figure("ruff")
            if !isWoman {
                pen.figure(
                    "sitter hair",
                    pen.color(pen.pick(40, 86, 120, 24), pen.pick(26, 54, 20), pen.pick(14, 28)))
            }
            pen.figure("sitter face")
            pen.figure(
                "sitter eyes",
                pen.color(pen.pick(60, 50, 84), pen.pick(42, 70, 90), pen.pick(28, 80)))
            pen.figure(isWoman ? "sitter cap" : "sitter beard")
            if !isWoman, pen.chance(0.65) { pen.figure("sitter hat") }
            pen.figure("sitter hands", at: (0, 640))
        }
    }

    static func interior(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let (x, y, side) = (w / 2, h * 0.59, pen.side())
        pen.cover(pen.sky(88, 72))
        pen.figure(
            "nave", at: (x - side * w / 2, 0), scale: h / 1_200, flip: side * w / h * 1.2)
        let beam = pen.fade("#fffdf0", 0.34, 0)
        for _ in 0..<4 {
            let (x, wide) = (w * pen.any(0.5, 1), pen.any(40, 110))
            pen.fill(beam) { $0.shape((x, 0), (x + wide, 0), (x - w * 0.4, h), (x - w * 0.62, h)) }
        }
        pen.disc(pen.glow("#fffdf2", 0.9), x, y - 60, pen.any(110, 170))
        pen.times(pen.whole(5, 9)) { pen, _, t in
            let near = pow(t, 1.5)
            pen.figure(
                pen.pick("visitor 0", "visitor 1", "dog"),
                pen.tone(pen.pick(3, 12, 18), accent: pen.pick(0, 0, 0.7)),
                at: (x + pen.any(-1, 1) * (70 + near * w * 0.3), y + 72 + near * (h - y) * 0.52),
                scale: 0.5 + near * 1.5, flip: pen.side())
        }
        pen.cover(pen.fade(pen.tone(25), 0.5, 0, 0))
    }
}
