import Testing

@testable import Demo

@Suite(.timeLimit(.minutes(1))) struct HTTPDateTests {
    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (1_709_164_799, "Wed, 28 Feb 2024 23:59:59 GMT"),
    ])
    func `a moment is written as RFC 9110 wants it`(seconds: Int, text: String) {
        #expect(HTTPDate(seconds: seconds).text == text)
    }
}
