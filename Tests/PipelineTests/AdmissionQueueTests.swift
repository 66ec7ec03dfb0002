import Catalog
import TestSupport
import Testing

@testable import Pipeline

@Suite(.timeLimit(.minutes(1))) struct AdmissionQueueTests {
    private let share = FairQueue.Share(group: "a", client: nil)
    private let other = FairQueue.Share(group: "b", client: nil)

    /// Holds a place until the gate opens; returns once it does.
    private func holder(_ queue: AdmissionQueue, until gate: Gate) async -> Task<Void, any Error> {
        let entered = Gate()
        let task = Task { [share] in
            try await queue.run(share) {
                entered.open()
                await gate.wait()
            }
        }
        await entered.wait()
        return task
    }

    @Test func `a caller is refused at once when the queue is full`() async throws {
        let queue = AdmissionQueue(places: 1, line: 0)
        let gate = Gate()
        let first = await holder(queue, until: gate)
        #expect(queue.load == (1, 0))
        await #expect(throws: Failure.overloaded(retryAfter: 1)) {
            try await queue.run(share) {}
        }
        await #expect(throws: Failure.overloaded(retryAfter: 1)) {
            try await queue.run(share, .ifFree) {}
        }
        gate.open()
        try await first.value
        #expect(queue.load == (0, 0))
    }

    @Test func `waiting callers get the place one after the other`() async throws {
        let queue = AdmissionQueue(places: 1, line: 2)
        let gate = Gate()
        let first = await holder(queue, until: gate)
        async let second = queue.run(share) { "done" }
        async let third = queue.run(share) { "done" }
        gate.open()
        try await first.value
        #expect(try await [second, third] == ["done", "done"])
        #expect(queue.load == (0, 0))
    }

    @Test func `a canceled caller leaves the queue`() async throws {
        let queue = AdmissionQueue(places: 1, line: 1)
        let gate = Gate()
        let first = await holder(queue, until: gate)
        let leaver = Task { [share] in try await queue.run(share) {} }
        leaver.cancel()
        await #expect(throws: CancellationError.self) { try await leaver.value }
        #expect(queue.load == (1, 0))
        gate.open()
        try await first.value
        #expect(queue.load == (0, 0))
    }

    @Test func `work that fails gives its place back`() async throws {
        let queue = AdmissionQueue(places: 1, line: 0)
        for _ in 0..<2 {
            await #expect(throws: Failure.canceled) {
                try await queue.run(share) { throw Failure.canceled }
            }
        }
        #expect(queue.load == (0, 0))
    }

    @Test func `the share that fills the room loses its newest visit, which is canceled`()
        async throws
    {
        let queue = AdmissionQueue(places: 1, line: 1)
        let (gate, canceled) = (Gate(), Gate())
        let entered = [Gate(), Gate()]
        let visits = entered.map { entered in
            Task { [share] in
                _ = try await queue.visit(share, .queued) { _ in
                    entered.open()
                    await withTaskCancellationHandler {
                        await gate.wait()
                    } onCancel: {
                        canceled.open()
                    }
                    try Task.checkCancellation()
                }
            }
        }
        for entered in entered { await entered.wait() }
        #expect(queue.load == (0, 2))
        #expect(try await queue.run(other) { "in" } == "in")
        await canceled.wait()
        gate.open()
        var refused = 0
        for visit in visits {
            do {
                try await visit.value
            } catch let failure as Failure where failure.kind == .overloaded {
                refused += 1
            }
        }
        #expect(refused == 1)
        #expect(queue.load == (0, 0))
    }

    @Test func `a visit has its place once it took leave, and wakes the caller that waits for it`()
        async throws
    {
        let queue = AdmissionQueue(places: 1, line: 3)
        let woken = Gate()
        try await queue.visit(share, .queued) { first in
            #expect(first.take {})
            #expect(queue.load == (1, 0))
            try await queue.visit(self.other, .queued) { second in
                #expect(!second.take { woken.open() })
                first.giveBack()
                await woken.wait()
                #expect(second.take {})
                #expect(queue.load == (1, 1))
            }
            try await first.hold()
        }
        #expect(queue.load == (0, 0))
    }

    @Test func `a visit that lost its room gives leave to a download that others wait for`()
        async throws
    {
        let queue = AdmissionQueue(places: 1, line: 1)
        try await queue.visit(share, .queued) { [share, other] _ in
            try await queue.visit(share, .queued) { lost in
                try await queue.run(other) {}
                #expect(lost.take {})
                #expect(!lost.isHolding)
                await #expect(throws: Failure.overloaded(retryAfter: 1)) {
                    try await lost.hold()
                }
            }
        }
    }

    @Test func `work that no caller waits for puts nothing out of a full room`() async throws {
        let queue = AdmissionQueue(places: 1, line: 0)
        _ = try await queue.visit(share, .queued) { [other] _ in
            await #expect(throws: Failure.overloaded(retryAfter: 1)) {
                try await queue.run(other, .ifFree) {}
            }
        }
    }
}
