import TestSupport
import Testing

@testable import Pipeline

@Suite(.timeLimit(.minutes(1))) struct FairQueueTests {
    private typealias Share = FairQueue.Share

    private let start = ContinuousClock.now

    private func share(_ group: String, _ client: String? = nil) -> Share {
        Share(group: group, client: client)
    }

    /// Members of a share that each want a place, with their tickets.
    private func add(
        _ tickets: ClosedRange<UInt64>, _ share: Share, to queue: inout FairQueue
    ) -> [FairQueue.Entry] {
        tickets.map { ticket in
            defer { _ = queue.want(ticket) }
            return queue.enter(ticket, share)
        }
    }

    @Test func `places are given in order of arrival within a share`() {
        var queue = FairQueue(places: 1, line: 10)
        _ = add(1...4, share("a"), to: &queue)
        var order: [UInt64] = []
        for holder in 1...3 {
            queue.leave(UInt64(holder), at: start)
            order += [queue.next()].compactMap(\.self)
        }
        #expect(order == [2, 3, 4])
    }

    @Test func `a place that is free goes to the group that holds fewest`() {
        var queue = FairQueue(places: 4, line: 100)
        _ = add(1...20, share("flood"), to: &queue)
        _ = add(21...24, share("b"), to: &queue)
        _ = add(31...34, share("c"), to: &queue)
        // The flood may have three of four places; the last one went to the next group at once.
        #expect(queue.holding == 4)
        var order: [UInt64] = []
        for holder: UInt64 in [1, 2, 3] {
            queue.leave(holder, at: start)
            order += [queue.next()].compactMap(\.self)
        }
        #expect(order == [31, 4, 22])
    }

    @Test func `a quarter of the places is kept from one group, and of those from one client`() {
        var queue = FairQueue(places: 16, line: 100)
        _ = add(1...30, share("a", "1"), to: &queue)
        #expect(queue.holding == 9)
        _ = add(31...60, share("a", "2"), to: &queue)
        #expect(queue.holding == 12)
        #expect(!queue.isOpen(to: share("a", "3")))
        #expect(queue.isOpen(to: share("b")))
        _ = add(61...90, share("b"), to: &queue)
        #expect(queue.holding == 16)
    }

    @Test(arguments: [(1, 1), (2, 2), (3, 3), (4, 3), (64, 48)])
    func `few places are shared without a rest`(places: Int, most: Int) {
        #expect(FairQueue.most(of: places) == most)
    }

    @Test func `clients of a group take turns`() {
        var queue = FairQueue(places: 1, line: 100)
        _ = add(1...9, share("a", "1"), to: &queue)
        _ = add(11...19, share("a", "2"), to: &queue)
        var order: [UInt64] = []
        var holder: UInt64 = 1
        for _ in 0..<4 {
            queue.leave(holder, at: start)
            holder = queue.next() ?? 0
            order.append(holder)
        }
        #expect(order == [11, 2, 12, 3])
    }

    @Test func `a full queue refuses the share that fills it, and admits others`() {
        var queue = FairQueue(places: 1, line: 3)
        let flood = share("flood", "x")
        let entered = add(1...5, flood, to: &queue)
        #expect(entered == [.entered, .entered, .entered, .entered, .refused])
        let others = [(6, share("b")), (7, share("flood", "y")), (8, share("flood", "y"))]
            .map { queue.enter($0, $1) }
        #expect(
            others == [
                .enteredInsteadOf(4, of: flood), .enteredInsteadOf(3, of: flood), .refused,
            ])
        #expect((1...8).filter(queue.isIn) == [1, 2, 6, 7])
        #expect(queue.waiting == 3)
    }

    @Test func `a member that holds a place stays in`() {
        var queue = FairQueue(places: 4, line: 0)
        _ = add(1...3, share("a"), to: &queue)
        let entries = [
            queue.enter(4, share("a")), queue.enter(5, share("b")),
        ]
        #expect(entries == [.entered, .enteredInsteadOf(4, of: share("a"))])
        let holds = queue.want(5)
        let late = queue.enter(6, share("c"))
        #expect(holds)
        #expect(late == .refused)
        #expect(queue.holding == 4)
    }

    @Test func `a place that is given back is free, and its member stays`() {
        var queue = FairQueue(places: 1, line: 3)
        _ = add(1...2, share("a"), to: &queue)
        queue.giveBack(1)
        let next = queue.next()
        #expect(next == 2)
        #expect(queue.isIn(1) && queue.waiting == 1)
        let holds = queue.want(1)
        #expect(!holds)
        queue.giveBack(1)
        queue.leave(2, at: start)
        let none = queue.next()
        let again = queue.want(1)
        #expect(none == nil && again)
    }

    @Test func `the time to come back is that of the own group's pace and turns`() {
        var queue = FairQueue(places: 4, line: 1_000)
        _ = add(1...40, share("slow", "x"), to: &queue)
        _ = add(41...44, share("quick"), to: &queue)
        for step in 0..<20 {
            queue.leave(UInt64(step + 1), at: start.advanced(by: .seconds(2 * step)))
            for _ in 0..<4 where queue.next() == nil { break }
        }
        // 17 to 20 of it wait, one through each 2 s.
        #expect((30...44).contains(queue.retryAfter(share("slow", "x"))))
        #expect((1...5).contains(queue.retryAfter(share("slow", "y"))))
        #expect(queue.retryAfter(share("quick")) == 1)
        #expect(queue.retryAfter(share("new")) == 1)
    }

    @Test(arguments: 0..<40)
    func `whatever happens, places and room are never exceeded and none is left unused`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let (places, line) = (
            Int.random(in: 1...9, using: &random), Int.random(in: 0...9, using: &random)
        )
        var queue = FairQueue(places: places, line: line)
        var members: [UInt64: Share] = [:]
        var holding: Set<UInt64> = []
        var wanting: Set<UInt64> = []
        for ticket in 1...400 as ClosedRange<UInt64> {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let share = share(
                    "\(Int.random(in: 0..<3, using: &random))",
                    [nil, "1", "2"][Int.random(in: 0..<3, using: &random)])
                members[ticket] = share
                switch queue.enter(ticket, share) {
                case .entered: break
                case .refused: members[ticket] = nil
                case .enteredInsteadOf(let victim, let loser):
                    #expect(members[victim] == loser && !holding.contains(victim))
                    members[victim] = nil
                    wanting.remove(victim)
                }
            case 2:
                guard let one = members.keys.sorted().randomElement(using: &random) else { break }
                if queue.want(one) { holding.insert(one) } else { wanting.insert(one) }
            case 3:
                guard let one = members.keys.sorted().randomElement(using: &random) else { break }
                queue.giveBack(one)
                holding.remove(one)
                wanting.remove(one)
            default:
                guard let one = members.keys.sorted().randomElement(using: &random) else { break }
                queue.leave(one, at: start)
                members[one] = nil
                holding.remove(one)
                wanting.remove(one)
            }
            while let next = queue.next() {
                // One that is not due would come for ever.
                try #require(wanting.remove(next) == next)
                holding.insert(next)
            }
            #expect(queue.holding == holding.count && holding.count <= places)
            #expect(queue.holding + queue.waiting == members.count)
            #expect(members.count <= places + line)
            let isOpen = wanting.contains { members[$0].map(queue.isOpen) == true }
            #expect(!isOpen)
        }
    }
}
