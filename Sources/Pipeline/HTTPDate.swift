package import FoundationEssentials

/// IMF-fixdate, the only date format that HTTP senders may generate (RFC 9110, section 5.6.7).
package enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Bytes of a date.
    package static let byteCount = 29

    /// Returns a date like `Sun, 06 Nov 1994 08:49:37 GMT`, without fractions of a second.
    package static func format(_ date: Date) -> String {
        String(unsafeUninitializedCapacity: byteCount) { text in
            write(date, to: UnsafeMutableRawBufferPointer(text))
            return byteCount
        }
    }

    /// Writes such a date to the first ``byteCount`` bytes of `text`.
    package static func write(_ date: Date, to text: UnsafeMutableRawBufferPointer) {
        // Limited to the years 0 to 9999, because the format has four digits.
        let seconds = Int(
            min(max(date.timeIntervalSince1970, -62_167_219_200), 253_402_300_799).rounded(.down))
        let (day, second) = seconds.quotientAndRemainder(floored: 86_400)
        let (year, month, dayOfMonth) = civil(day)
        let weekday = (day + 4).quotientAndRemainder(floored: 7).remainder
        var end = 0
        func append(_ word: String) {
            for byte in word.utf8 {
                text[end] = byte
                end += 1
            }
        }
        func append(_ number: Int, digits: Int) {
            var rest = number
            for place in stride(from: end + digits - 1, through: end, by: -1) {
                text[place] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            }
            end += digits
        }
        append(days[weekday])
        append(", ")
        append(dayOfMonth, digits: 2)
        append(" ")
        append(months[month - 1])
        append(" ")
        append(year, digits: 4)
        append(" ")
        append(second / 3_600, digits: 2)
        append(":")
        append(second / 60 % 60, digits: 2)
        append(":")
        append(second % 60, digits: 2)
        append(" GMT")
    }

    /// Returns `nil` if the text is not an IMF-fixdate.
    package static func parse(_ text: String) -> Date? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", parts[0].count == 4,
            let day = DeltaSeconds.parse(parts[1]), (1...31).contains(day),
            let month = months.firstIndex(of: String(parts[2])),
            let year = DeltaSeconds.parse(parts[3]), (1_600...9_999).contains(year)
        else { return nil }
        let clock = parts[4].split(separator: ":").compactMap { DeltaSeconds.parse($0) }
        guard clock.count == 3, (0..<24).contains(clock[0]), (0..<60).contains(clock[1]),
            (0...60).contains(clock[2])
        else { return nil }
        let days = daysSinceEpoch(year: year, month: month + 1, day: day)
        return Date(
            timeIntervalSince1970: TimeInterval(
                days * 86_400 + clock[0] * 3_600 + clock[1] * 60 + clock[2]))
    }

    /// Howard Hinnant's `civil_from_days`: proleptic Gregorian, no time zones.
    private static func civil(_ daysSinceEpoch: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = daysSinceEpoch + 719_468
        let (era, dayOfEra) = shifted.quotientAndRemainder(floored: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// Howard Hinnant's `days_from_civil`.
    private static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).quotientAndRemainder(floored: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

extension Int {
    fileprivate func quotientAndRemainder(floored divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
