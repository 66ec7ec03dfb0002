import FoundationEssentials
import Hashing
import Testing

@Suite(.timeLimit(.minutes(1))) struct HTTPDateTests {
    @Test(
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (0.9, "Thu, 01 Jan 1970 00:00:00 GMT"), (951_826_154, "Tue, 29 Feb 2000 12:09:14 GMT"),
            (1_709_164_799, "Wed, 28 Feb 2024 23:59:59 GMT"),
            (-1e15, "Sat, 01 Jan 0000 00:00:00 GMT"), (1e15, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] as [(TimeInterval, String)])
    func `dates are written as IMF-fixdate, without fractions`(seconds: TimeInterval, text: String)
    {
        #expect(HTTPDate.format(Date(timeIntervalSince1970: seconds)) == text)
    }

    @Test(
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_826_154, "Tue, 29 Feb 2000 12:09:14 GMT"),
            (1_709_164_799, "Wed, 28 Feb 2024 23:59:59 GMT"),
            (784_111_777, "Sun,  6 Nov 1994 08:49:37 GMT"),
            (784_111_777, "SUN, 06 NOV 1994 08:49:37 gmt"),
            // A wrong day of the week.
            (784_111_777, "Mon, 06 Nov 1994 08:49:37 GMT"),
            (784_111_777, "Sunday, 06-Nov-94 08:49:37 GMT"),
            (784_111_777, "sunday, 06-nov-94 08:49:37 GMT"),
            (784_111_777, "Sun, 06-Nov-94 08:49:37 GMT"),
            (784_111_777, "Sunday, 06-Nov-1994 08:49:37 GMT"),
            (951_826_154, "Tuesday, 29-Feb-00 12:09:14 GMT"),
            (784_111_777, "Sun Nov  6 08:49:37 1994"), (784_111_777, "Sun Nov 06 08:49:37 1994"),
            (1_709_164_799, "Wed Feb 28 23:59:59 2024"),
        ] as [(TimeInterval, String)])
    func `dates are read in all forms of HTTP`(seconds: TimeInterval, text: String) {
        #expect(HTTPDate.parse(text, now: Self.now) == Date(timeIntervalSince1970: seconds))
    }

    /// Sat, 28 Nov 2026 12:00:00 GMT
    private static let now = Date(timeIntervalSince1970: 1_795_867_200)

    @Test(arguments: [
        ("28-Nov-26 12:00:00", 2026), ("01-Jan-27 00:00:00", 2027), ("01-Jan-75 00:00:00", 2075),
        ("28-Nov-76 12:00:00", 2076), ("28-Nov-76 12:00:01", 1976), ("01-Jan-77 00:00:00", 1977),
        ("01-Jan-99 00:00:00", 1999), ("01-Jan-00 00:00:00", 2000),
    ])
    func `a year of two digits is at most fifty years ahead`(text: String, year: Int) throws {
        let date = try #require(HTTPDate.parse("Sunday, \(text) GMT", now: Self.now))
        #expect(HTTPDate.format(date).contains(" \(year) "))
    }

    @Test(arguments: [
        "", "0", "-1", "Sun", "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0000",
        "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 32 Nov 1994 08:49:37 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 2023 08:49:37 GMT",
        "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 0094 08:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT",
        "Abc, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 CET",
        "Sunday, 06-Nov-094 08:49:37 GMT", "Sunday, 06-Nov-9 08:49:37 GMT",
        "Sunday, 06-Nov 08:49:37 GMT", "Sunday, 06-Nov-94-1 08:49:37 GMT",
        "Sun Nov  6 08:49:37 94", "Sun Nov  6 08:49:37 1994 GMT", "Sun Nov 31 08:49:37 1994",
        "Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z", "784111777",
    ])
    func `text in another form is not a date`(text: String) {
        #expect(HTTPDate.parse(text, now: Self.now) == nil)
    }
}
