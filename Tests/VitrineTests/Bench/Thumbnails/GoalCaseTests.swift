import TestSupport
import Testing

@testable import vitrine

/// Goals of rendering, measured with programs that print what they are told.
@Suite(.timeLimit(.minutes(1))) struct GoalCaseTests {
    /// A program of 10 pictures.
    private func program(
        seconds: Double = 1, processor: Double = 1, peakMemory: Int = 0, errors: Int = 0,
        in directory: String
    ) -> OutcomeCase {
        let outcome =
            "{\"images\":10,\"wall\":\(seconds),\"processor\":\(processor),\"bytes\":1,"
            + "\"peakMemory\":\(peakMemory),\"errors\":\(errors)}"
        return OutcomeCase(
            head: BenchRow.Head(.thumbnails, ["a"]),
            order: MeasuredProgram.Order("/bin/sh", ["-c", "echo '\(outcome)'"]),
            scratch: directory)
    }

    private func values(
        _ kind: GoalCase.Kind, goal: Double? = nil
    ) async throws -> [String: Double] {
        let sample = try await GoalCase(
            head: BenchRow.Head(.thumbnails, ["goals"]), kind: kind, goal: goal
        ).round(1)
        return Dictionary(uniqueKeysWithValues: sample.values.map { ($0.quantity.name, $0.value) })
    }

    @Test func `processor time stands beside that of the libraries, per picture`() async throws {
        try await withScratchDirectory { directory in
            let values = try await values(
                .processorTime(
                    own: program(processor: 0.06, in: directory),
                    limit: program(processor: 0.05, in: directory)), goal: 1.3)
            #expect(values["measured"] == 6)
            #expect(values["limit"] == 5)
            #expect(abs((values["beside the limit"] ?? 0) - 1.2) < 0.001)
            #expect(values["goal"] == 1.3)
        }
    }

    @Test func `two threads gain less than the libraries' two`() async throws {
        try await withScratchDirectory { directory in
            let values = try await values(
                .twoThreads(
                    own: [program(seconds: 3, in: directory), program(seconds: 2, in: directory)],
                    limit: [
                        program(seconds: 3.2, in: directory), program(seconds: 2, in: directory),
                    ]))
            #expect(values["gained"] == 1.5)
            #expect(abs((values["limit"] ?? 0) - 1.6) < 0.001)
            #expect(abs((values["beside the limit"] ?? 0) + 0.1) < 0.001)
        }
    }

    @Test func `memory is in megabytes, and isolation is a difference`() async throws {
        try await withScratchDirectory { directory in
            let memory = try await values(.memory(program(peakMemory: 47_000_000, in: directory)))
            #expect(memory == ["measured": 47])
            let isolation = try await values(
                .isolation(
                    inside: program(processor: 0.05, in: directory),
                    isolated: program(processor: 0.053, in: directory)))
            #expect(abs((isolation["measured"] ?? 0) - 0.3) < 0.001)
        }
    }

    @Test func `a picture that fails in either program is an error of the row`() async throws {
        try await withScratchDirectory { directory in
            let sample = try await GoalCase(
                head: BenchRow.Head(.thumbnails, ["goals"]),
                kind: .processorTime(
                    own: program(errors: 1, in: directory), limit: program(in: directory))
            ).round(1)
            #expect(sample.errors == 1)
        }
    }
}
