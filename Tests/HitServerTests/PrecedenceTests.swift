import Testing

@testable import HitServer

@Suite(.timeLimit(.minutes(1))) struct PrecedenceTests {
    @Test(arguments: [
        (0.1, false, true), (0.24, false, true), (0.26, false, false), (0.49, true, true),
        (0.51, true, false), (0.99, false, false),
    ])
    func `precedence is kept below its limit and taken only well below it`(
        share: Double, isHeld: Bool, wanted: Bool
    ) {
        #expect(Precedence.isWanted(share: share, limit: 0.5, isHeld: isHeld) == wanted)
    }
}
