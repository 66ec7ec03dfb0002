import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1))) struct HTTP2AbuseTests {
    @Test func `a frame of each kind every second is fine, and a flood is abuse`() {
        var honest = HTTP2Abuse()
        for second in 0..<600 {
            honest.add(
                .init(resets: 1, controls: 1, errors: 1),
                at: 1_000 * second)
            #expect(!honest.isTooMuch)
        }
        for counts in [
            HTTP2Abuse.Counts(resets: 1), .init(controls: 1), .init(errors: 1),
        ] {
            var flood = HTTP2Abuse()
            for _ in 0..<200 { flood.add(counts, at: 1) }
            #expect(!flood.isTooMuch)
            flood.add(counts, at: 1)
            #expect(flood.isTooMuch)
        }
    }
}
