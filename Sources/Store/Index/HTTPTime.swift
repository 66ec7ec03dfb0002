/// A date as HTTP writes it, `Tue, 15 Nov 1994 12:45:26 GMT`, and as seconds since 1970. Only the
/// years 1970 to 9999.
struct HTTPTime: Equatable {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    let seconds: Int64
    let text: String

    /// Nil if the year is not in the range.
    init?(seconds: Int64) {
        guard (0..<253_402_300_800).contains(seconds) else { return nil }
        self.seconds = seconds
        let (day, rest) = (seconds / 86_400, seconds % 86_400)
        let (year, month, monthDay) = Self.calendar(day)
        let clock = [rest / 3_600, rest / 60 % 60, rest % 60].map { Self.padded($0, 2) }
        text = """
            \(Self.days[Int(day % 7)]), \(Self.padded(monthDay, 2)) \(Self.months[Int(month) - 1]) \
            \(Self.padded(year, 4)) \(clock.joined(separator: ":")) GMT
            """
    }

    /// Nil unless ``text`` is exactly this text.
    init?(text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, let month = Self.months.firstIndex(of: String(words[2])),
            let day = Int64(words[1]), let year = Int64(words[3]), (1970...9999).contains(year),
            (1...31).contains(day)
        else { return nil }
        let clock = words[4].split(separator: ":").compactMap { Int64($0) }
        guard clock.count == 3, clock.allSatisfy({ (0..<60).contains($0) }) else { return nil }
        let date = Self.number(year, Int64(month) + 1, day)
        let seconds = date * 86_400 + clock[0] * 3_600 + clock[1] * 60 + clock[2]
        guard let time = HTTPTime(seconds: seconds), time.text == text else { return nil }
        self = time
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    /// Returns the days since 1970 of a date; years begin in March, so that the leap day is last.
    private static func number(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month > 2 ? year : year - 1
        let era = year / 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let yearOfEra = year - era * 400
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Returns year, month and day of a number of days since 1970.
    private static func calendar(_ number: Int64) -> (Int64, Int64, Int64) {
        let shifted = number + 719_468
        let (era, dayOfEra) = (shifted / 146_097, shifted % 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}
