import Catalog
import FoundationEssentials
import Testing

@testable import Pipeline

@Suite(.timeLimit(.minutes(1))) struct FailureTests {
    private func failure(_ kind: Failure.Kind, until seconds: TimeInterval = 0) -> Failure {
        Failure(kind, "\(kind) \(seconds)", until: Date(timeIntervalSince1970: seconds))
    }

    @Test(
        arguments: [
            ([.absent], .absent), ([.absent, .rejected], .rejected),
            ([.refused, .absent], .refused),
            ([.absent, .unavailable, .rejected], .unavailable), ([.timedOut, .absent], .timedOut),
            ([.rejected, .timedOut, .unavailable], .unavailable),
        ] as [([Failure.Kind], Failure.Kind)])
    func `an unavailable origin outweighs final failures`(
        kinds: [Failure.Kind], expected: Failure.Kind
    ) {
        #expect(Resolution.combined(kinds.map { failure($0) })?.kind == expected)
        #expect(Resolution.combined(kinds.reversed().map { failure($0) })?.kind == expected)
    }

    @Test func `the shortest of a class decides how long a chain's failure is remembered`() {
        let combined = Resolution.combined([
            failure(.absent, until: 5), failure(.rejected, until: 90),
            failure(.rejected, until: 20),
        ])
        #expect(combined == failure(.rejected, until: 20))
    }

    @Test func `a chain without failures has no failure`() {
        #expect(Resolution.combined([]) == nil)
    }

    @Test(
        arguments: [
            (200, .picture), (203, .picture), (304, .notModified), (404, .failed(.absent)),
            (410, .failed(.absent)), (204, .failed(.rejected)), (206, .failed(.rejected)),
            (403, .failed(.unavailable)), (429, .failed(.unavailable)),
            (500, .failed(.unavailable)),
            (503, .failed(.unavailable)), (504, .failed(.timedOut)), (302, .failed(.unavailable)),
        ] as [(Int, FetchVerdict)])
    func `each status of an origin means a picture, nothing new or a class of failure`(
        status: Int, expected: FetchVerdict
    ) {
        #expect(FetchVerdict(status: status) == expected)
    }
}
