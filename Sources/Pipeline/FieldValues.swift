package import FoundationEssentials
import Glibc

// Values of header fields.

extension Date {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Reads a date such as `Sun, 06 Nov 1994 08:49:37 GMT`, the form that HTTP senders may generate
    /// (RFC 9110, section 5.6.7); nil for any other text.
    package init?(http text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", parts[0].count == 4,
            let day = DeltaSeconds.parse(parts[1]), (1...31).contains(day),
            let month = Self.months.firstIndex(of: String(parts[2])),
            let year = DeltaSeconds.parse(parts[3]), (1_600...9_999).contains(year)
        else { return nil }
        let clock = parts[4].split(separator: ":").compactMap { DeltaSeconds.parse($0) }
        guard clock.count == 3, (0..<24).contains(clock[0]), (0..<60).contains(clock[1]),
            (0...60).contains(clock[2])
        else { return nil }
        var moment = tm()
        (moment.tm_year, moment.tm_mon, moment.tm_mday) =
            (Int32(year - 1_900), Int32(month), Int32(day))
        (moment.tm_hour, moment.tm_min, moment.tm_sec) =
            (Int32(clock[0]), Int32(clock[1]), Int32(clock[2]))
        self.init(timeIntervalSince1970: TimeInterval(timegm(&moment)))
    }
}

/// Seconds in a header field: digits and nothing else (RFC 9111, section 1.2.2).
enum DeltaSeconds {
    /// Larger numbers are read as this.
    static let most = 1 << 31

    /// Returns nil for anything but digits: a sign, a fraction, an exponent, `nan`.
    static func parse(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty else { return nil }
        var seconds = 0
        for byte in text.utf8 {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            seconds = min(most, seconds * 10 + Int(byte - UInt8(ascii: "0")))
        }
        return seconds
    }
}
