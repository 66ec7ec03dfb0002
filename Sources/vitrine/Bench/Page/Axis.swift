import Glibc

/// Places numbers along one side of a plot.
struct Axis: Sendable {
    enum Scale: Sendable {
        case linear, logarithmic
    }

    let scale: Scale
    /// What the ends of the axis mean.
    let low: Double
    let high: Double
    /// Where the ends of the axis are.
    let from: Double
    let to: Double
    /// Marked numbers, in rising order.
    let ticks: [Double]

    /// An axis from 0 to at least `most`, ending at a tick.
    static func linear(to most: Double, from start: Double, to end: Double) -> Axis {
        let step = step(for: most)
        let count = max(1, (most / step).rounded(.up))
        return Axis(
            scale: .linear, low: 0, high: count * step, from: start, to: end,
            ticks: (0...Int(count)).map { Double($0) * step })
    }

    /// An axis of whole powers of ten around all positive values.
    static func logarithmic(
        _ least: Double, _ most: Double, from start: Double, to end: Double
    ) -> Axis {
        let low = log10(max(least, 1e-9)).rounded(.down)
        let high = max(low + 1, log10(max(most, 1e-9)).rounded(.up))
        return Axis(
            scale: .logarithmic, low: pow(10, low), high: pow(10, high), from: start, to: end,
            ticks: stride(from: low, through: high, by: 1).map { pow(10, $0) })
    }

    /// Where a number is. Numbers beyond an end are at that end.
    func place(_ value: Double) -> Double {
        let share =
            switch scale {
            case .linear: (value - low) / (high - low)
            case .logarithmic: log(max(value, low) / low) / log(high / low)
            }
        return from + min(1, max(0, share)) * (to - from)
    }

    /// Returns 1, 2 or 5 times a power of ten, so that four to eight steps reach `most`.
    static func step(for most: Double) -> Double {
        guard most > 0, most.isFinite else { return 1 }
        let rough = most / 5
        let power = pow(10, log10(rough).rounded(.down))
        return [1, 2, 5, 10].map { $0 * power }.first { $0 >= rough * 0.999 } ?? 10 * power
    }
}

extension BenchText {
    /// Formats a time in microseconds as `120 µs`, `1.20 ms`, `3.10 s`.
    static func time(microseconds value: Double) -> String {
        if value < 1_000 { return "\(short(value)) µs" }
        if value < 1_000_000 { return "\(short(value / 1_000)) ms" }
        return "\(short(value / 1_000_000)) s"
    }

    /// Formats without zeros at the end of a fraction.
    static func short(_ value: Double) -> String {
        var text = number(value)
        guard text.contains(".") else { return text }
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
    }
}
