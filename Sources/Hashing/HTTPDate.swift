package import FoundationEssentials
import Glibc

/// Dates of HTTP. They are written as IMF-fixdate, the only form that senders may generate (RFC 9110, section
/// 5.6.7), and read in all three.
package enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    static let months = [
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
        var seconds = time_t(
            min(max(date.timeIntervalSince1970, -62_167_219_200), 253_402_300_799).rounded(.down))
        var moment = tm()
        gmtime_r(&seconds, &moment)
        var end = 0
        func append(_ word: String) {
            for byte in word.utf8 {
                text[end] = byte
                end += 1
            }
        }
        func append(_ number: Int32, digits: Int) {
            var rest = number
            for place in stride(from: end + digits - 1, through: end, by: -1) {
                text[place] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            }
            end += digits
        }
        append(days[Int(moment.tm_wday)])
        append(", ")
        append(moment.tm_mday, digits: 2)
        append(" ")
        append(months[Int(moment.tm_mon)])
        append(" ")
        append(moment.tm_year + 1_900, digits: 4)
        append(" ")
        append(moment.tm_hour, digits: 2)
        append(":")
        append(moment.tm_min, digits: 2)
        append(":")
        append(moment.tm_sec, digits: 2)
        append(" GMT")
    }
}
