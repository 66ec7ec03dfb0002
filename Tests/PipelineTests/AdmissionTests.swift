import TestSupport
import Testing

@testable import Pipeline

@Suite(.timeLimit(.minutes(30))) struct AdmissionTests {
    private func reach(
        _ admission: Admission, running: Int, waiting: Int
    ) async {
        while admission.load != (running, waiting) { await Task.yield() }
    }

    @Test func `who finds the line full is refused at once`() async throws {
        let admission = Admission(places: 1, line: 1)
        let gate = Gate()
        async let first: Void = admission.run { await gate.wait() }
        await reach(admission, running: 1, waiting: 0)
        async let second: Void = admission.run {}
        await reach(admission, running: 1, waiting: 1)
        await #expect(throws: PipelineError.overloaded(retryAfter: 1)) {
            try await admission.run {}
        }
        await #expect(throws: PipelineError.overloaded(retryAfter: 1)) {
            try await admission.run(.none) {}
        }
        gate.open()
        _ = try await (first, second)
        #expect(admission.load == (0, 0))
    }

    @Test func `places are given in the order of coming`() async throws {
        let admission = Admission(places: 1, line: 10)
        let gate = Gate()
        let order = Turns()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await admission.run { await gate.wait() } }
            await reach(admission, running: 1, waiting: 0)
            for number in 0..<5 {
                group.addTask { try await admission.run { await order.note(number) } }
                await reach(admission, running: 1, waiting: number + 1)
            }
            gate.open()
            try await group.waitForAll()
        }
        #expect(await order.numbers == [0, 1, 2, 3, 4])
    }

    @Test func `a cancelled caller leaves the line, and its place goes to the next`() async throws {
        let admission = Admission(places: 1, line: 2)
        let gate = Gate()
        async let first: Void = admission.run { await gate.wait() }
        await reach(admission, running: 1, waiting: 0)
        let leaver = Task { try await admission.run {} }
        await reach(admission, running: 1, waiting: 1)
        async let stayer = admission.run { "done" }
        await reach(admission, running: 1, waiting: 2)
        leaver.cancel()
        await #expect(throws: CancellationError.self) { try await leaver.value }
        #expect(admission.load.waiting == 1)
        gate.open()
        try await first
        #expect(try await stayer == "done")
        #expect(admission.load == (0, 0))
    }

    @Test func `work that fails gives its place back`() async throws {
        let admission = Admission(places: 1, line: 0)
        for _ in 0..<2 {
            await #expect(throws: PipelineError.cancelled) {
                try await admission.run { throw PipelineError.cancelled }
            }
        }
        #expect(admission.load == (0, 0))
    }

    @Test(arguments: [
        (0, 1, 0.01, 1), (9, 1, 0.5, 5), (99, 2, 0.5, 25), (1_000, 1, 1, 60), (0, 0, 2, 2),
    ])
    func `the time to come back is the line's at its pace, within bounds`(
        waiting: Int, places: Int, mean: Double, seconds: Int
    ) {
        #expect(
            Admission.retryAfter(waiting: waiting, places: places, mean: mean) == seconds)
    }
}

private actor Turns {
    private(set) var numbers: [Int] = []

    func note(_ number: Int) { numbers.append(number) }
}
