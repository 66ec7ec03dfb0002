import Foundation
import Store
import Testing

@testable import Pipeline

@Suite(.timeLimit(.minutes(1))) struct TraceTests {
    @Test func `a trace is read as it was written, whatever its texts contain`() throws {
        var trace = Trace(resolvedAt: Date(timeIntervalSinceReferenceDate: 817_000_000.123_456))
        trace.add(.followed, "catalog a/b", note: "asked", took: .milliseconds(12))
        trace.add(.failed, "\u{0}\u{1}\u{1f}\u{7f}", url: "https://a/\"b\\c", note: "\n\r\t\u{8}")
        trace.add(.chosen, "größe 🎨", url: "", note: "")
        let bytes = trace.encoded()
        #expect(Trace(encoded: bytes) == trace)
        #expect(try JSONDecoder().decode(Trace.self, from: Data(bytes)) == trace)
    }

    @Test func `a trace without steps is read as it was written`() {
        let trace = Trace(resolvedAt: Date(timeIntervalSinceReferenceDate: 0))
        #expect(Trace(encoded: trace.encoded()) == trace)
    }
}
