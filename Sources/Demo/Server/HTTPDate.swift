import FoundationEssentials

/// A moment as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`.
struct HTTPDate: Sendable, Equatable {
    let text: String

    /// `seconds` since 1970.
    init(seconds: Int) {
        let date = Date(timeIntervalSince1970: Double(seconds))
        // 1970 began on a Thursday.
        let weekday = Self.weekdays[((seconds / 86_400) % 7 + 7) % 7]
        let iso = date.formatted(.iso8601)
        let day = iso.prefix(10).split(separator: "-")
        let month = Self.months[(Int(day[1]) ?? 1) - 1]
        text = "\(weekday), \(day[2]) \(month) \(day[0]) \(iso.dropFirst(11).prefix(8)) GMT"
    }

    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
