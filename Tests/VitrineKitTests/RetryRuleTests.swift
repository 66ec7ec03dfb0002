import Foundation
import Synchronization
import Testing
import VitrineKit

@Suite(.timeLimit(.minutes(1))) struct RetryRuleTests {
    private static func problem(_ status: Int, retryAfter: Int? = nil) throws -> Problem {
        let after = retryAfter.map { "\($0)" } ?? "null"
        let text = """
            {"type": "urn:vitrine:problem:some", "title": "", "status": \(status), "detail": "", \
            "message": "", "retryAfter": \(after)}
            """
        return try JSONDecoder().decode(Problem.self, from: Data(text.utf8))
    }

    @Test(
        arguments: [
            (503, nil, 1, 0.125), (503, nil, 2, 0.25), (503, nil, 3, 0.5), (503, nil, 4, nil),
            (500, nil, 1, 0.125), (408, nil, 1, 0.125), (425, nil, 1, 0.125), (429, nil, 1, 0.125),
            // A service names its pause, and a random part comes on top.
            (503, 2, 1, 2.125), (503, 60, 3, 60.125), (503, 61, 1, nil), (429, 1, 4, nil),
            // Final at once.
            (404, nil, 1, nil), (403, 5, 1, nil), (400, nil, 1, nil), (415, nil, 1, nil),
        ] as [(Int, Int?, Int, Double?)])
    func `temporary statuses are retried three times, as the service retries origins`(
        status: Int, retryAfter: Int?, attempt: Int, pause: Double?
    ) throws {
        let problem = try Self.problem(status, retryAfter: retryAfter)
        #expect(RetryRule().pause(after: attempt, problem, random: 0.5) == pause)
        #expect(RetryRule.never.pause(after: 1, problem, random: 0.5) == nil)
    }

    @Test func `faults of the connection are retried, other errors are not`() {
        let rule = RetryRule()
        for code in [URLError.Code.timedOut, .cannotConnectToHost, .networkConnectionLost] {
            #expect(rule.pause(after: 1, URLError(code), random: 0.5) == 0.125)
        }
        #expect(rule.pause(after: 1, URLError(.badURL), random: 0.5) == nil)
        #expect(rule.pause(after: 1, CancellationError(), random: 0.5) == nil)
    }

    private final class Attempts: Sendable {
        private let number = Mutex(0)

        var count: Int { number.withLock { $0 } }

        func fail(until good: Int, _ status: Int) throws -> Int {
            let number = number.withLock { number in
                number += 1
                return number
            }
            if number < good { throw try RetryRuleTests.problem(status) }
            return number
        }
    }

    @Test(arguments: [(3, 503, 3, true), (9, 503, 4, false), (2, 404, 1, false)])
    func `what fails is called again until it is good or final`(
        good: Int, status: Int, calls: Int, isGood: Bool
    ) async throws {
        var rule = RetryRule()
        rule.basePause = 0
        let attempts = Attempts()
        if isGood {
            #expect(try await rule.run { try attempts.fail(until: good, status) } == good)
        } else {
            await #expect(throws: Problem.self) {
                try await rule.run { try attempts.fail(until: good, status) }
            }
        }
        #expect(attempts.count == calls)
    }
}
