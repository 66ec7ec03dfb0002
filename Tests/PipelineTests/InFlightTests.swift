import TestSupport
import Testing
import Threads

@testable import Pipeline

@Suite(.timeLimit(.minutes(1))) struct InFlightTests {
    private typealias Plain = InFlight<String, Int, String>

    @Test func `equal work runs once and everybody gets its value`() async {
        let flights = Plain { _, _ in true }
        let runs = Counter()
        let gate = Gate()
        let joined = await withTaskGroup(of: Bool?.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    let landing = await flights.value(for: "a", 0) { _ in
                        runs.add()
                        await gate.wait()
                        return "value"
                    }
                    #expect(landing?.value == "value")
                    return landing?.joined
                }
            }
            await eventually { flights.waiting(for: "a") >= 200 }
            gate.open()
            return await group.reduce(into: 0) { $0 += $1 == true ? 1 : 0 }
        }
        #expect(runs.value == 1)
        #expect(joined == 199)
    }

    @Test func `orders are merged until the work reads them`() async {
        let flights = Plain { order, other in
            order += other
            return true
        }
        let gate = Gate()
        async let first = flights.value(for: "a", 1) { orders in
            await gate.wait()
            return "\(orders.update { $0 })"
        }
        await eventually { flights.waiting(for: "a") >= 1 }
        async let second = flights.value(for: "a", 10) { _ in "a second run" }
        await eventually { flights.waiting(for: "a") >= 2 }
        gate.open()
        let values = await [first?.value, second?.value]
        #expect(values == ["11", "11"])
    }

    @Test func `a caller that comes too late waits, then starts its own work`() async {
        let flights = Plain { _, _ in false }
        let gate = Gate()
        async let first = flights.value(for: "a", 1) { _ in
            await gate.wait()
            return "first"
        }
        await eventually { flights.waiting(for: "a") >= 1 }
        async let second = flights.value(for: "a", 2) { _ in "second" }
        await eventually { flights.waiting(for: "a") >= 2 }
        gate.open()
        let landings = await [first, second]
        #expect(landings.map { $0?.value } == ["first", "second"])
        #expect(landings.map { $0?.joined } == [false, false])
    }

    @Test func `one canceled caller leaves the others their value`() async {
        let flights = Plain { _, _ in true }
        let gate = Gate()
        let leaver = Task {
            await flights.value(for: "a", 0) { _ in
                await gate.wait()
                return Task.isCancelled ? "canceled" : "value"
            }
        }
        await eventually { flights.waiting(for: "a") >= 1 }
        async let stayer = flights.value(for: "a", 0) { _ in "a second run" }
        await eventually { flights.waiting(for: "a") >= 2 }
        leaver.cancel()
        #expect(await leaver.value == nil)
        gate.open()
        #expect(await stayer?.value == "value")
    }

    @Test func `work answers some callers early, and continues without them`() async {
        let flights = Plain { order, other in
            order = max(order, other)
            return true
        }
        let (early, end) = (Gate(), Gate())
        @Sendable func ask(_ order: Int) async -> Plain.Landing? {
            await flights.value(for: "a", order) { orders in
                await early.wait()
                orders.answer("early") { $0 == 1 }
                await end.wait()
                return Task.isCancelled ? "canceled" : "late"
            }
        }
        async let first = ask(1)
        await eventually { flights.waiting(for: "a") >= 1 }
        async let second = ask(1)
        let patient = Task { await ask(2) }
        await eventually { flights.waiting(for: "a") >= 3 }
        early.open()
        let answers = await [first, second]
        #expect(answers.map(\.?.value) == ["early", "early"])
        #expect(answers.map(\.?.joined) == [false, true])
        // Its last caller leaves.
        patient.cancel()
        #expect(await patient.value == nil)
        async let third = ask(2)
        await eventually { flights.waiting(for: "a") >= 1 }
        async let settled: Void = flights.settled()
        await eventually { flights.waiting(for: "a") >= 2 }
        await flights.settled { $0 == "b" }
        end.open()
        #expect(await third?.value == "late")
        await settled
        #expect(flights.count == 0)
    }

    @Test func `work without waiting callers is canceled`() async {
        let flights = Plain { _, _ in true }
        let ended = Gate()
        let caller = Task {
            await flights.value(for: "a", 0) { _ in
                await untilCanceled()
                ended.open()
                return ""
            }
        }
        await eventually { flights.waiting(for: "a") >= 1 }
        caller.cancel()
        #expect(await caller.value == nil)
        await ended.wait()
    }

    @Test func `a task that is canceled already starts nothing`() async {
        let flights = Plain { _, _ in true }
        let caller = Task {
            await untilCanceled()
            return await flights.value(for: "a", 0) { _ in "value" }
        }
        caller.cancel()
        #expect(await caller.value == nil)
        #expect(flights.waiting(for: "a") == 0)
    }
}
