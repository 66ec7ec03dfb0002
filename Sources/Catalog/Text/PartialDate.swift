package import FoundationEssentials

/// A day, month or year of the calendar, as ISO 8601 writes it: `2013-06-24`, `2013-06`, `2013`.
package struct PartialDate: Sendable, Equatable {
    /// First and last day as year·10000 + month·100 + day, so that they sort by date.
    package let first: Int
    package let last: Int

    /// Returns `nil` unless the text has one of the three forms and is a day, month or year of the
    /// calendar.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count), parts[0].utf8.count == 4,
            parts.dropFirst().allSatisfy({ $0.utf8.count == 2 }),
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        let numbers = parts.compactMap { Int($0) }
        let year = numbers[0]
        guard numbers.count > 1 else {
            first = year * 10_000 + 101
            last = year * 10_000 + 1_231
            return
        }
        let month = numbers[1]
        guard (1...12).contains(month) else { return nil }
        let start = year * 10_000 + month * 100
        let length = Self.days(inMonth: month, of: year)
        guard numbers.count > 2 else {
            first = start + 1
            last = start + length
            return
        }
        guard (1...length).contains(numbers[2]) else { return nil }
        first = start + numbers[2]
        last = first
    }

    /// The day of `date` in UTC.
    package init(dayOf date: Date) {
        // Days since 1970 to the civil calendar, after Howard Hinnant's `civil_from_days`.
        // Limited to ten thousand years around 1970, so that a wrong clock can't overflow.
        let whole = (date.timeIntervalSince1970 / 86_400).rounded(.down)
        let days = Int(min(max(whole, -3_652_500), 3_652_500)) + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shifted + 2) / 5 + 1
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        first = year * 10_000 + month * 100 + day
        last = first
    }

    /// The first day, as `2013-06-24`; nil for a year that has not four digits.
    package var firstDay: String? {
        guard (0..<100_000_000).contains(first) else { return nil }
        // Eight digits after the 1, so that years before 1000 keep theirs.
        let digits = "\(100_000_000 + first)".dropFirst()
        return "\(digits.prefix(4))-\(digits.dropFirst(4).prefix(2))-\(digits.suffix(2))"
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension String {
    /// The text if it is a ``PartialDate``; otherwise nil.
    var partialDate: String? { PartialDate(self) == nil ? nil : self }
}
