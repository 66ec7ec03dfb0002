/// Sizes in settings, in bytes: `64MiB`, `10GiB`, or a plain number.
package enum SizeText {
    private static let units: [(name: String, bytes: Int64)] = [
        ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1), ("", 1),
    ]

    package static func parse(_ text: String) -> Int? {
        guard let (number, unit) = DurationText.numberAndUnit(text),
            let factor = units.first(where: { $0.name == unit })?.bytes
        else { return nil }
        let (value, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : Int(exactly: value)
    }

    /// Formats a size in the largest unit that gives a whole number.
    package static func print(_ bytes: Int) -> String {
        for unit in units where bytes != 0 && Int64(bytes) % unit.bytes == 0 {
            return unit.name == "B" ? "\(bytes)" : "\(Int64(bytes) / unit.bytes)\(unit.name)"
        }
        return "\(bytes)"
    }
}
