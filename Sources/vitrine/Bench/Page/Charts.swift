/// Values side by side, each with the range of its rounds.
struct BarChart {
    struct Bar {
        var label: String
        var value: Double
        var least: Double
        var most: Double
        /// A peer's bar looks different from this program's.
        var isPeer = false
    }

    var title: String
    var unit: String
    var bars: [Bar]
    /// A value marked with a line across, such as 1 for ratios.
    var mark: Double?

    /// Returns what fits beside a bar: the end says more than the beginning.
    static func shortened(_ label: String) -> String {
        label.count <= 40 ? label : "…" + label.suffix(39)
    }

    private static let left = 250.0
    private static let right = 650.0
    private static let pitch = 24.0

    var svg: String {
        let top = 10.0
        let bottom = top + Double(bars.count) * Self.pitch
        var drawing = Drawing(width: 760, height: bottom + 24, title: title)
        let most = max(bars.map(\.most).max() ?? 1, mark ?? 0)
        let axis = Axis.linear(to: most, from: Self.left, to: Self.right)
        for tick in axis.ticks {
            let x = axis.place(tick)
            drawing.line(x, top, x, bottom, "grid")
            drawing.text(x, bottom + 15, BenchText.short(tick), "tick middle")
        }
        for (index, bar) in bars.enumerated() {
            let y = top + Double(index) * Self.pitch
            let end = axis.place(bar.value)
            drawing.text(Self.left - 8, y + 16, Self.shortened(bar.label), "label end")
            drawing.rectangle(
                Self.left, y + 4, end - Self.left, Self.pitch - 8, bar.isPeer ? "peer" : "own",
                hint: "\(bar.label): \(BenchText.number(bar.value)) \(unit)")
            if bar.most > bar.least {
                let middle = y + Self.pitch / 2
                drawing.line(
                    axis.place(bar.least), middle, axis.place(bar.most), middle, "range")
            }
            let after = max(end, axis.place(bar.most))
            drawing.text(after + 6, y + 16, BenchText.number(bar.value), "value")
        }
        if let mark {
            drawing.line(axis.place(mark), top, axis.place(mark), bottom, "mark")
        }
        return drawing.svg
    }
}

/// Bars made of parts.
struct StackChart {
    struct Bar {
        var label: String
        var parts: [(name: String, value: Double)]
    }

    var title: String
    var unit: String
    var bars: [Bar]

    /// Names of all parts, in order of appearance.
    var names: [String] {
        var names: [String] = []
        for name in bars.flatMap({ $0.parts.map(\.name) }) where !names.contains(name) {
            names.append(name)
        }
        return names
    }

    var svg: String {
        let (left, right, pitch, top) = (250.0, 650.0, 24.0, 10.0)
        let bottom = top + Double(bars.count) * pitch
        var drawing = Drawing(width: 760, height: bottom + 24, title: title)
        let sums = bars.map { $0.parts.reduce(0) { $0 + $1.value } }
        let axis = Axis.linear(to: sums.max() ?? 1, from: left, to: right)
        for tick in axis.ticks {
            let x = axis.place(tick)
            drawing.line(x, top, x, bottom, "grid")
            drawing.text(x, bottom + 15, BenchText.short(tick), "tick middle")
        }
        for (index, bar) in bars.enumerated() {
            let y = top + Double(index) * pitch
            drawing.text(left - 8, y + 16, BarChart.shortened(bar.label), "label end")
            var sum = 0.0
            for part in bar.parts {
                let (from, to) = (axis.place(sum), axis.place(sum + part.value))
                sum += part.value
                let color = (names.firstIndex(of: part.name) ?? 0) % LineChart.colors + 1
                drawing.rectangle(
                    from, y + 4, to - from, pitch - 8, "c\(color)",
                    hint: "\(part.name): \(BenchText.number(part.value)) \(unit)")
            }
            drawing.text(axis.place(sum) + 6, y + 16, BenchText.number(sum), "value")
        }
        return drawing.svg
    }
}

/// Lines through points.
struct LineChart {
    /// Colors that the page has; more lines than that would look alike.
    static let colors = 6

    struct Line {
        var name: String
        var points: [(x: Double, y: Double)]
        var isDashed = false
    }

    var title: String
    var lines: [Line]
    var x: Axis
    var y: Axis
    var xTicks: [(place: Double, label: String)]
    var yLabel: (Double) -> String

    static let left = 70.0
    static let right = 740.0
    static let top = 12.0
    static let bottom = 280.0

    var svg: String {
        var drawing = Drawing(width: 760, height: Self.bottom + 26, title: title)
        for tick in y.ticks {
            let place = y.place(tick)
            drawing.line(Self.left, place, Self.right, place, "grid")
            drawing.text(Self.left - 8, place + 4, yLabel(tick), "tick end")
        }
        for tick in xTicks {
            let place = x.place(tick.place)
            drawing.line(place, Self.top, place, Self.bottom, "grid")
            drawing.text(place, Self.bottom + 17, tick.label, "tick middle")
        }
        var color = 0
        for line in lines {
            let places = line.points.map { (x: x.place($0.x), y: y.place($0.y)) }
            if line.isDashed {
                drawing.curve(places, "line ideal")
                continue
            }
            color = color % Self.colors + 1
            drawing.curve(places, "line l\(color)")
            for (place, point) in zip(places, line.points) {
                drawing.circle(
                    place.x, place.y, "c\(color)", hint: "\(line.name): \(yLabel(point.y))")
            }
        }
        return drawing.svg
    }
}
