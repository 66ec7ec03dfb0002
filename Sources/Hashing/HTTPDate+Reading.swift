package import FoundationEssentials
import Glibc

extension HTTPDate {
    /// Reads a date in one of HTTP's three forms (RFC 9110, section 5.6.7); nil for any other text. Case doesn't
    /// matter (RFC 9111, section 4.2), and neither does a wrong day of the week.
    ///
    /// - `Sun, 06 Nov 1994 08:49:37 GMT`, which senders write;
    /// - `Sunday, 06-Nov-94 08:49:37 GMT`, of RFC 850;
    /// - `Sun Nov  6 08:49:37 1994`, of `asctime`.
    ///
    /// - Parameter now: decides the century of a year with two digits. It is the last one in which the date is at
    ///   most 50 years ahead.
    package static func parse(_ text: String, now: Date = Date()) -> Date? {
        let words = text.split { $0 == " " || $0 == "\t" }.map { $0.lowercased() }
        guard let first = words.first else { return nil }
        switch words.count {
        case 6 where first.hasSuffix(","): return fixed(words)
        case 4 where first.hasSuffix(","): return dashed(words, now)
        case 5: return printed(words)
        default: return nil
        }
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    private static func fixed(_ words: [String]) -> Date? {
        guard isDay(words[0].dropLast()), words[5] == "gmt", let year = fullYear(words[3]) else {
            return nil
        }
        return date(year, words[2], words[1], words[4])
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`
    private static func dashed(_ words: [String], _ now: Date) -> Date? {
        let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
            .map(String.init)
        guard isDay(words[0].dropLast()), words[3] == "gmt", parts.count == 3 else { return nil }
        // Some senders write the whole year here, too.
        if let year = fullYear(parts[2]) { return date(year, parts[1], parts[0], words[2]) }
        guard parts[2].utf8.count == 2, let short = number(parts[2]) else { return nil }
        let century = year(of: now) / 100 * 100
        let latest = year(of: now) + 50
        // Fifty years ahead is still meant as the future: of that year the date itself decides.
        for year in [century + 100, century, century - 100].map({ $0 + short }) where year <= latest
        {
            guard let found = date(year, parts[1], parts[0], words[2]) else { return nil }
            if year < latest || found <= fiftyYears(after: now) { return found }
        }
        return nil
    }

    /// `Sun Nov  6 08:49:37 1994`
    private static func printed(_ words: [String]) -> Date? {
        guard isDay(words[0][...]), let year = fullYear(words[4]) else { return nil }
        return date(year, words[1], words[2], words[3])
    }

    private static func date(
        _ year: Int, _ month: String, _ day: String, _ clock: String
    ) -> Date? {
        guard let month = months.firstIndex(where: { $0.lowercased() == month }),
            (1...2).contains(day.utf8.count), let day = number(day),
            (1...days(of: month, year)).contains(day)
        else { return nil }
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false)
            .map { (1...2).contains($0.utf8.count) ? number($0) : nil }
        guard parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2],
            hour < 24, minute < 60, second <= 60
        else { return nil }
        var moment = tm()
        (moment.tm_year, moment.tm_mon, moment.tm_mday) =
            (Int32(year - 1_900), Int32(month), Int32(day))
        (moment.tm_hour, moment.tm_min, moment.tm_sec) =
            (Int32(hour), Int32(minute), Int32(second))
        return Date(timeIntervalSince1970: TimeInterval(timegm(&moment)))
    }

    private static func days(of month: Int, _ year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return month == 1 ? (isLeap ? 29 : 28) : [3, 5, 8, 10].contains(month) ? 30 : 31
    }

    private static func isDay(_ name: Substring) -> Bool {
        longDays.contains { $0 == name || $0.prefix(3) == name }
    }

    private static let longDays = [
        "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
    ]

    private static func fullYear(_ text: String) -> Int? {
        guard text.utf8.count == 4, let year = number(text), year >= 1_600 else { return nil }
        return year
    }

    private static func moment(_ date: Date) -> tm {
        var seconds = time_t(date.timeIntervalSince1970.rounded(.down))
        var moment = tm()
        gmtime_r(&seconds, &moment)
        return moment
    }

    private static func year(of date: Date) -> Int { Int(moment(date).tm_year) + 1_900 }

    private static func fiftyYears(after date: Date) -> Date {
        var moment = moment(date)
        moment.tm_year += 50
        return Date(timeIntervalSince1970: TimeInterval(timegm(&moment)))
    }

    /// Returns nil for anything but digits, and for more than an `Int` holds.
    private static func number(_ text: some StringProtocol) -> Int? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            ? Int(text) : nil
    }
}
