import Foundation

/// What portraits of musicians and film people show, for an area of 1000 × 1000.
enum People {
    static func bust(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let skin = Double(pen.whole(0, 4))
        let (hair, ground) = (pen.whole(0, 5), pen.pick(25.0, 50, 75, 90))
        let hairs = pen.tone(pen.pick(2, 8, 20, 45))
        func shade(_ red: Double, _ green: Double, _ blue: Double) -> Paint {
            pen.color(red - skin * 38, green - skin * 36, blue - skin * 33)
        }
        let (neck, face, ears) = (shade(232, 190, 160), shade(240, 200, 172), shade(228, 184, 156))
        pen.cover(pen.sky(ground + 8, ground - 12))
        let back = pen.tone(
            (ground + 35).truncatingRemainder(dividingBy: 100), accent: pen.pick(0, 0.6))
        switch pen.whole(0, 2) {
        case 0: pen.disc(pen.accent, w / 2, h * 0.42, min(w, h) * 0.34)
        case 1: pen.figure("rays", back, at: (w / 2, h * 0.45))
        default:
            pen.fill(back, 0.4, times: 6) { $0.rect(w * ($1 / 6 + 0.03), 0, w * 0.09, h) }
        }
        let size = min(w, h) / 1_000 * pen.any(1, 1.07)
        pen.group(w / 2, h * 0.47, scale: size, flip: pen.side()) { pen in
            if hair == 2 || hair == 3 { pen.figure("long hair", hairs) }
            if hair == 5 { pen.disc(hairs, 0, -130, 262) }
            pen.figure("shirt", pen.tone(pen.pick(10, 30, 50), accent: pen.pick(0, 0, 0.8)))
            pen.figure("neck", neck)
            pen.figure("head", face, ears)
            if hair < 3, pen.chance(0.25) { pen.figure("beard", hairs) }
            pen.figure("features")
            pen.figure(skin > 1 ? "closed eyes" : "open eyes")
            pen.figure("mouth", pen.tone(40, accent: pen.any(0.4, 1)))
            if pen.chance(0.25) { pen.figure("glasses") }
            pen.figure("hair \(hair > 2 ? hair - 1 : hair)", hairs)
            if pen.chance(0.18) {
                pen.figure("hat", pen.tone(pen.pick(3, 30), accent: pen.pick(0, 1)))
            }
        }
    }

    /// Members of a band side by side, against the light.
    static func group(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let members = max(pen.members, 2)
        let ground = pen.pick(40.0, 52, 64)
        pen.cover(pen.gradient(.glow, [(pen.tone(ground + 22), 1), (pen.tone(ground - 10), 1)]))
        if pen.chance(0.5) {
            let r = min(w, h) * pen.any(0.24, 0.3)
            pen.disc(pen.accent, w * pen.any(0.45, 0.55), h * 0.38, r)
        } else {
            let stripes = pen.tone(pen.pick(70, 85), accent: pen.pick(0, 0.5))
            pen.fill(stripes, times: 5) { $0.rect(w * (0.1 + 0.165 * $1), -2, w * 0.1, h * 0.62) }
        }
        pen.times(members) { pen, _, t in
            let x = w * (0.5 + (t - 0.5) * min(0.76, 0.19 * Double(members)))
            let y = h * pen.any(0.4, 0.47) + abs(t - 0.5) * h * 0.06
            let size = min(w, h) / 1_000 * pen.any(0.96, 1.08) * (1.34 - 0.07 * Double(members))
            let paint = pen.tone(pen.any(3, 17))
            pen.group(x, y, scale: size) { pen in
                pen.figure("crowd", pen.tone(90, accent: 0.7), at: (-5, -3))
                pen.figure("crowd", paint)
                let head = pen.pick("hat", "curls", "hood", "bun", "cap", "")
                pen.figure("head \(head)", paint)
            }
        }
    }

    static func stage(_ pen: inout Pen) {
        let (w, h) = (pen.width, pen.height)
        let floor = h * 0.74
        let members = Double(pen.members)
        pen.cover(pen.sky(0, 14, 30, 8))
        let (cold, warm) = (pen.fade(pen.tone(100), 0.32, 0), pen.fade(pen.accent, 0.4, 0))
        pen.times(pen.whole(4, 6)) { pen, _, t in
            let (x, foot, wide) = (
                w * (0.1 + 0.8 * t), w * pen.any(0.15, 0.85), pen.any(60, 130)
            )
            for (paint, more) in [(cold, 0.0), (warm, 40)] where more > 0 || pen.chance(0.5) {
                pen.fill(paint) {
                    $0.shape(
                        (x - 6, 0), (x + 6, 0), (foot + wide + more, floor),
                        (foot - wide - more, floor))
                }
            }
            pen.disc(pen.tone(100), x, 4, 9)
        }
        pen.cover(pen.tone(60), 0.4, from: floor, height: 8)
        let pool = pen.glow(pen.tone(96), 0.5)
        pen.oval(pool, w / 2, floor + 6, w * 0.5, 46)
        pen.times(pen.members) { pen, _, t in
            let x = members > 1 ? w * (0.5 + (t - 0.5) * min(0.68, 0.17 * members)) : w / 2
            let size = min(w, h) / 1_000 * pen.any(1.3, 1.5)
            pen.group(x, floor + 8, scale: size, flip: pen.side()) { pen in
                pen.figure("player")
                pen.figure(pen.pick("guitar", "singer", "keys"))
            }
        }
        pen.fill(pen.tone(0)) { pen in
            pen.times(Int(w / 13)) { pen, i, _ in
                pen.circle(
                    i * 13 + pen.any(-5, 5), h * pen.any(0.88, 0.95), pen.any(12, 19))
                pen.rect(i * 13 - 12, h * 0.93, 25, h * 0.1)
            }
            pen.times(pen.whole(4, 9)) { pen, _, _ in
                let (x, y) = (pen.any(0, w), h * pen.any(0.8, 0.86))
                pen.shape((x, h * 0.95), (x + 12, h * 0.95), (x + 16, y), (x + 10, y))
            }
        }
    }
}

extension Pen {
    /// How many play.
    fileprivate var members: Int { words["members"].flatMap { Int($0) } ?? 1 }
}
