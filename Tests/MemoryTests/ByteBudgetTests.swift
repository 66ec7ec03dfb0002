import TestSupport
import Testing

@testable import Memory

@Suite(.timeLimit(.minutes(1))) struct ByteBudgetTests {
    /// 20 bytes for reservations of up to 2, 80 for larger ones.
    private let budget = ByteBudget(bytes: 100)

    private func waiting(_ count: Int) async {
        await eventually { budget.load.waiting == count }
    }

    @Test func `a reservation waits for free bytes, and later ones of its kind wait behind it`()
        async throws
    {
        var first: ByteBudget.Hold? = try await budget.reserve(70)
        let second = Task { try await budget.reserve(80) }
        await waiting(1)
        // It would fit, but the large one might wait for ever.
        let third = Task { try await budget.reserve(5) }
        await waiting(2)
        #expect(first?.bytes == 70)
        first = nil
        let large = try await second.value
        #expect(large.bytes == 80)
        #expect(budget.load == ByteBudget.Load(limit: 100, held: 80, peak: 80, waiting: 1))
        #expect(large.resize(to: 60))
        #expect(try await third.value.bytes == 5)
    }

    @Test func `small reservations have a part that large ones can't use`() async throws {
        let large = try await budget.reserve(80)
        let waits = Task { try await budget.reserve(80) }
        await waiting(1)
        var small: [ByteBudget.Hold] = []
        for _ in 0..<10 { small.append(try await budget.reserve(2)) }
        #expect(budget.load.held == 100)
        waits.cancel()
        await #expect(throws: CancellationError.self) { try await waits.value }
        #expect(large.bytes == 80 && small.count == 10)
    }

    @Test func `canceling a waiting reservation lets later ones proceed`() async throws {
        let first = try await budget.reserve(50)
        let large = Task { try await budget.reserve(80) }
        await waiting(1)
        let behind = Task { try await budget.reserve(30) }
        await waiting(2)
        large.cancel()
        #expect(try await behind.value.bytes == 30)
        #expect(first.bytes == 50)
    }

    @Test func `a reservation grows only into free bytes that no caller waits for`() async throws {
        let hold = try await budget.reserve(1)
        // Out of the room for small ones, as a whole.
        #expect(hold.resize(to: 40))
        #expect(budget.load.held == 40)
        #expect(!hold.resize(to: 81))
        #expect(hold.bytes == 40)
        let waits = Task { try await budget.reserve(60) }
        await waiting(1)
        #expect(!hold.resize(to: 41))
        #expect(hold.resize(to: 0))
        #expect(try await waits.value.bytes == 60)
        #expect(budget.load.peak == 60)
    }

    @Test func `a too large reservation counts as the largest one`() async throws {
        #expect(try await budget.reserve(.max).bytes == budget.largest)
        #expect(ByteBudget(bytes: 100, isSplit: false).largest == 100)
    }
}
