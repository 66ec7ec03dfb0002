import FoundationEssentials

/// What a `Retry-After` field says (RFC 9110, section 10.2.3).
struct RetryAfter: Equatable {
    /// Whole seconds from now, zero for a time in the past; at most a day.
    let seconds: Int

    /// `nil` where the value is neither seconds nor an HTTP date.
    init?(_ value: String, now: Date) {
        let value = value.trimmed
        if !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // A number that no integer can hold is too long anyway.
            seconds = Bounds.pause.clamp(Int(value) ?? .max)
            return
        }
        guard let date = Self.date(value) else { return nil }
        let most = Double(Bounds.pause.upperBound)
        seconds = Int(min(max(0, date.timeIntervalSince(now)), most).rounded(.up))
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`; the two obsolete forms aren't read.
    private static func date(_ value: String) -> Date? {
        let parts = value.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", parts[1].count == 2, parts[3].count == 4,
            let month = months.firstIndex(of: String(parts[2]))
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        // A date that no calendar has says nothing, like no field at all.
        return try? Date("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z", strategy: .iso8601)
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
