import Foundation

/// What several motifs show.
extension Pen {
    /// Denser above, down to a height.
    mutating func stars(_ count: Int, to bottom: Double) {
        fill(tone(100), 0.8) { pen in
            pen.times(count) { pen, _, _ in
                let share = pen.any(0, 1)
                pen.circle(
                    pen.any(0, pen.width), share * share * bottom, pen.any(0.5, 1.7))
            }
        }
    }

    mutating func birds(_ count: Int, _ x: Double, _ y: Double, spread: Double, _ paint: Paint) {
        fill(paint) { pen in
            pen.times(count) { pen, _, _ in
                let size = 11 * pen.any(0.6, 1.2)
                let x = x + pen.any(-spread, spread)
                let y = y + pen.any(-spread, spread) * 0.6
                pen.dab(x - size * 0.5, y - size * 0.2, size * 0.55, size * 0.1, turn: 24)
                pen.dab(x + size * 0.5, y - size * 0.2, size * 0.55, size * 0.1, turn: -24)
            }
        }
    }

    /// Flat strokes on water and land, longer and farther apart the nearer they are.
    mutating func strokes(
        _ count: Int, from horizon: Double, _ paint: Paint, _ opacity: Double, long: Double = 80,
        thick: Double = 2, around middle: Double? = nil
    ) {
        fill(paint, opacity) { pen in
            pen.times(count) { pen, _, _ in
                let near = pen.any(0, 1)
                let spread = 70 + near * 150
                let x = middle.map { $0 + pen.any(-spread, spread) }
                pen.dab(
                    x ?? pen.any(0, pen.width),
                    horizon + 4 + (pen.height - horizon) * near * near,
                    (12 + near * long) * pen.any(0.5, 1.4), 0.7 + near * thick)
            }
        }
    }

    /// Clouds in a sky that ends at a height.
    mutating func clouds(to horizon: Double) {
        let (light, dark) = (glow(tone(100), 0.34), glow(tone(46), 0.3))
        times(9) { pen, _, _ in
            let x = pen.any(0, pen.width)
            let y = pen.any(0.06, 0.8) * horizon
            let wide = pen.any(90, 300) * (0.5 + y / horizon * 0.55)
            pen.oval(dark, x, y + wide * 0.2, wide * 1.2, wide * 0.25)
            pen.times(7) { pen, _, _ in
                let (dx, dy) = (pen.any(-1, 1) * wide, pen.any(0, 0.35) * wide)
                let (a, b) = (wide * pen.any(0.24, 0.62), wide * pen.any(0.12, 0.29))
                pen.oval(light, x + dx, y - dy, a, b)
            }
        }
    }

    mutating func grass(_ tufts: Int, _ paint: Paint, at y: ClosedRange<Double>, high: Double) {
        fill(paint) { pen in
            pen.times(tufts) { pen, _, _ in
                let x = pen.any(0, pen.width)
                let foot = pen.random.number(in: y)
                let tall = high * pen.any(0.4, 1)
                pen.times(7) { pen, _, _ in
                    let half = tall * pen.any(0.28, 0.55)
                    pen.dab(
                        x + pen.any(-30, 30), foot - half, half, tall * 0.02 + 0.7,
                        turn: -90 + pen.any(-24, 24))
                }
            }
        }
    }

    /// The dark, patchy wall behind still lifes and sitters.
    mutating func wall() {
        cover(gradient(.ball, [(tone(46), 1), (tone(24), 1), (tone(5), 1)]))
        fill(tone(60), 0.05) { pen in
            pen.times(60) { pen, _, _ in
                pen.dab(
                    pen.any(0, pen.width), pen.any(0, pen.height * 0.84),
                    pen.any(50, 200), pen.any(4, 16), turn: pen.any(-55, -20))
            }
        }
    }
}
