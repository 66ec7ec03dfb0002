import Memory
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct RoomTests {
    /// Longer than any test.
    private static let long = Duration.seconds(600)

    @Test func `a room takes its own first, then from its lenders in their order`() {
        let (own, first, second) = (Room(limit: 2), Room(limit: 2), Room(limit: 1))
        own.borrow(from: Room.Lender(first) {})
        own.borrow(from: Room.Lender(second) {})
        var holds: [Room.Hold?] = []
        var free: [[Bool]] = []
        for _ in 0..<6 {
            holds.append(own.take(1))
            free.append([first, second].map { $0.take($0.limit) != nil })
        }
        #expect(holds.map { $0 != nil } == [true, true, true, true, true, false])
        #expect(
            free == [
                [true, true], [true, true], [false, true], [false, true], [false, false],
                [false, false],
            ])
        // Each is counted where it is used.
        #expect(own.taken == 5 && first.taken == 0 && second.taken == 0)
        holds = []
        #expect(own.taken == 0 && first.take(2) != nil && second.take(1) != nil)
        // Only one at a time is lent.
        #expect(own.take(3) == nil)
    }

    @Test func `a lender makes room for what it is asked for`() {
        let (own, kept) = (Room(limit: 0), Room(limit: 3))
        let held = Mutex((0..<3).map { _ in kept.take(1) })
        own.borrow(from: Room.Lender(kept) { held.withLock { $0.removeAll() } })
        let holds = (0..<4).map { _ in own.take(1) }
        #expect(holds.map { $0 != nil } == [true, true, true, false])
        #expect(own.taken == 3 && kept.taken == 0)
        #expect(held.withLock { $0.isEmpty })
    }

    /// Waits in a task. What it gets stays in `holds`.
    private func waits(
        _ room: Room, _ name: String, _ holds: Watched<[(String, Room.Hold)]>
    ) -> Task<Bool, Never> {
        Task {
            guard let hold = await room.take(within: Self.long) else { return false }
            holds.change { $0.append((name, hold)) }
            stateChanged()
            return true
        }
    }

    @Test func `what is given back goes to the caller that has waited for longest`() async {
        let room = Room(limit: 1)
        var first = room.take(1)
        #expect(first != nil)
        let holds = Watched<[(String, Room.Hold)]>([])
        var tasks: [Task<Bool, Never>] = []
        for (count, name) in ["a", "b", "c"].enumerated() {
            tasks.append(waits(room, name, holds))
            await eventually { room.waitingCount == count + 1 }
        }
        first = nil
        var order: [String] = []
        for left in [2, 1, 0] {
            await eventually { holds.value.count == 1 && room.waitingCount == left }
            order += holds.value.map(\.0)
            holds.change { $0 = [] }
        }
        #expect(order == ["a", "b", "c"])
        for task in tasks { #expect(await task.value) }
        #expect(room.taken == 0)
    }

    @Test func `callers wait for what a lender has as well`() async {
        let (own, lender) = (Room(limit: 1), Room(limit: 1))
        own.borrow(from: Room.Lender(lender) {})
        var held = [own.take(1), own.take(1)]
        let holds = Watched<[(String, Room.Hold)]>([])
        let task = waits(own, "a", holds)
        await eventually { own.waitingCount == 1 }
        held.removeLast()
        #expect(await task.value)
        #expect(own.taken == 2)
    }

    @Test func `a wait ends without room after its time, or with its task`() async {
        let room = Room(limit: 1)
        let held = room.take(1)
        #expect(await room.take(within: .zero) == nil)
        let task = waits(room, "a", Watched([]))
        await eventually { room.waitingCount == 1 }
        task.cancel()
        #expect(await !task.value)
        #expect(room.waitingCount == 0 && room.taken == 1)
        withExtendedLifetime(held) {}
    }

    @Test func `many callers at once each get a turn, and none is forgotten`() async {
        let room = Room(limit: 3)
        let most = Watched(0)
        let got = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<500 {
                group.addTask { await Self.turn(of: room, most) }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(got == 500 && room.taken == 0 && room.waitingCount == 0)
        #expect((1...3).contains(most.value))
    }

    /// Returns whether the caller got room. `most` is the most that was taken at once.
    private static func turn(of room: Room, _ most: Watched<Int>) async -> Bool {
        guard let hold = await room.take(within: long) else { return false }
        most.change { $0 = max($0, room.taken) }
        await Task.yield()
        return withExtendedLifetime(hold) { true }
    }
}
