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
        ] as [(TimeInterval, String)])
    func `dates are read as IMF-fixdate`(seconds: TimeInterval, text: String) {
        #expect(HTTPDate.parse(text) == Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: [
        "", "0", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 0094 08:49:37 GMT",
    ])
    func `text in another form is not a date`(text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }
}
