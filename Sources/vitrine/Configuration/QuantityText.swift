/// Durations in settings: `500ms`, `30s`, `15m`, `24h`, `7d`, and a plain `0`.
enum DurationText {
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]

    static func parse(_ text: String) -> Duration? {
        if text == "0" { return .zero }
        guard let (number, unit) = Quantity.split(text),
            let factor = units.first(where: { $0.name == unit })?.milliseconds
        else { return nil }
        let (value, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : .milliseconds(value)
    }

    /// Formats a duration in the largest unit that gives a whole number, without fractions of a
    /// millisecond.
    ///
    /// Durations below 48 hours are not written in days: `24h`, but `7d`.
    static func print(_ duration: Duration) -> String {
        let milliseconds = Int64(duration / .milliseconds(1))
        if milliseconds == 0 { return "0s" }
        for unit in units where milliseconds % unit.milliseconds == 0 {
            if unit.name == "d", milliseconds < 2 * unit.milliseconds { continue }
            return "\(milliseconds / unit.milliseconds)\(unit.name)"
        }
        return "\(milliseconds)ms"
    }
}

/// Sizes in settings, in bytes: `64MiB`, `10GiB`, or a plain number.
enum SizeText {
    private static let units: [(name: String, bytes: Int64)] = [
        ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1), ("", 1),
    ]

    static func parse(_ text: String) -> Int? {
        guard let (number, unit) = Quantity.split(text),
            let factor = units.first(where: { $0.name == unit })?.bytes
        else { return nil }
        let (value, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : Int(exactly: value)
    }

    /// Formats a size in the largest unit that gives a whole number.
    static func print(_ bytes: Int) -> String {
        for unit in units where bytes != 0 && Int64(bytes) % unit.bytes == 0 {
            return unit.name == "B" ? "\(bytes)" : "\(Int64(bytes) / unit.bytes)\(unit.name)"
        }
        return "\(bytes)"
    }
}

private enum Quantity {
    /// Splits `15m` into 15 and `m`; `nil` unless the text begins with a whole number.
    static func split(_ text: String) -> (Int64, Substring)? {
        let digits = text.prefix { "0"..."9" ~= $0 }
        guard let number = Int64(digits) else { return nil }
        return (number, text.dropFirst(digits.count))
    }
}
