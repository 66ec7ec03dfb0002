import Console
import Foundation

/// How figures are printed.
enum BenchText {
    /// Formats with three digits: `0.0123`, `1.23`, `123`, `12,345`.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return "–" }
        if value == 0 { return "0" }
        let magnitude = abs(value)
        if magnitude >= 999.5 { return ReadableText.count(Int(value.rounded())) }
        let digits = 2 - Int(log10(magnitude).rounded(.down))
        return String(format: "%.\(max(0, min(6, digits)))f", value)
    }

    /// Formats a share as `12 %`.
    static func percent(_ share: Double) -> String {
        let percent = share * 100
        return String(format: "%.\(abs(percent) < 9.95 ? 1 : 0)f %%", percent)
    }

    /// Formats a time in microseconds as `120 µs`, `1.20 ms`, `3.10 s`.
    static func time(microseconds value: Double) -> String {
        if value < 999.5 { return "\(number(value)) µs" }
        if value < 999_500 { return "\(number(value / 1_000)) ms" }
        return "\(number(value / 1_000_000)) s"
    }

    /// Formats a figure with its unit, which is one in which it has few digits.
    static func figure(_ value: Double, _ unit: String) -> String {
        let parts = unit.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let scales = ["µs": 1.0, "ms": 1e3, "s": 1e6]
        guard let scale = scales[String(parts[0])] else { return "\(number(value)) \(unit)" }
        return time(microseconds: value * scale) + (parts.count > 1 ? "/\(parts[1])" : "")
    }
}
