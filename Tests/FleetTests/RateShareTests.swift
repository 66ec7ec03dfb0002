import Testing

@testable import Fleet

/// Nodes that divide a rate, in a time of their own: none of it depends on the machine's speed.
@Suite(.timeLimit(.minutes(1))) struct RateShareTests {
    /// One origin, one document, and nodes that always have something to fetch.
    private struct World {
        struct Node {
            var share: RateShare
            var isUp = true
            /// The time between two looks, so that nodes don't act in step.
            var interval: Duration
            var nextLook: Duration
            var starts: [Duration] = []
            /// A document that was read, and is written a little later.
            var pending: (plan: RateShare.Plan, revision: Int, begun: Duration, at: Duration)?
        }

        static let origin = ContinuousClock.now
        var document = RateDocument()
        var revision = 0
        var nodes: [Node] = []
        var now = Duration.zero
        var random = SystemRandom(state: 7)

        var instant: ContinuousClock.Instant { Self.origin + now }

        mutating func add(count: Int, per window: Duration, nodes number: Int) {
            for _ in 0..<number {
                let share = RateShare(
                    name: "n\(nodes.count)", count: count, per: window)
                nodes.append(
                    Node(
                        share: share, interval: .milliseconds(900 + Int(random.next() % 200)),
                        nextLook: now + .milliseconds(Int(random.next() % 1_000))))
            }
        }

        /// Moves the time by steps of ten milliseconds.
        mutating func run(for duration: Duration, wants: (Int) -> Bool = { _ in true }) {
            let end = now + duration
            while now < end {
                now += .milliseconds(10)
                for index in nodes.indices where nodes[index].isUp { step(index, wants(index)) }
            }
        }

        private mutating func step(_ index: Int, _ wants: Bool) {
            if wants, nodes[index].share.wait(at: instant) == nil {
                nodes[index].share.record(instant)
                nodes[index].starts.append(now)
            }
            if let pending = nodes[index].pending, pending.at <= now {
                nodes[index].pending = nil
                // Another node may have been first.
                if pending.revision == revision {
                    document = pending.plan.document
                    revision += 1
                    nodes[index].share.wrote(
                        pending.plan, begun: Self.origin + pending.begun, at: instant)
                } else {
                    nodes[index].nextLook = now + .milliseconds(20)
                }
            }
            if nodes[index].pending == nil, nodes[index].nextLook <= now {
                nodes[index].nextLook = now + nodes[index].interval
                if let plan = nodes[index].share.next(document, at: instant) {
                    nodes[index].pending = (
                        plan, revision, now, now + .milliseconds(10 * Int(random.next() % 5))
                    )
                }
            }
        }

        var starts: [Duration] { nodes.flatMap(\.starts).sorted() }

        /// The most starts within a window.
        func most(in window: Duration) -> Int {
            let starts = starts
            var first = 0
            var most = 0
            for last in starts.indices {
                while starts[last] - starts[first] >= window { first += 1 }
                most = max(most, last - first + 1)
            }
            return most
        }
    }

    private struct SystemRandom {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
    }

    @Test(arguments: [1, 3, 10])
    func `any number of nodes starts no more than one would, and hardly fewer`(_ nodes: Int) {
        var world = World()
        world.add(count: 20, per: .seconds(10), nodes: nodes)
        world.run(for: .seconds(600))
        #expect(world.most(in: .seconds(10)) <= 20)
        #expect(world.starts.count >= 20 * 60 * 9 / 10)
        #expect(world.nodes.allSatisfy { $0.starts.count >= 20 * 60 / nodes * 8 / 10 })
    }

    @Test func `nodes take turns if there are fewer starts than nodes`() {
        var world = World()
        world.add(count: 2, per: .seconds(1), nodes: 5)
        world.run(for: .seconds(600))
        #expect(world.most(in: .seconds(1)) <= 2)
        #expect(world.starts.count >= 600)
        #expect(world.nodes.allSatisfy { $0.starts.count >= 100 })
    }

    @Test func `nodes that come, go and die never exceed the rate`() {
        var world = World()
        world.add(count: 20, per: .seconds(10), nodes: 2)
        world.run(for: .seconds(60))
        world.add(count: 20, per: .seconds(10), nodes: 8)
        world.run(for: .seconds(60))
        for dead in [0, 4, 7] { world.nodes[dead].isUp = false }
        world.run(for: .seconds(120))
        let before = world.starts.count
        world.run(for: .seconds(60))
        // The others have the shares of the dead.
        #expect(world.starts.count - before >= 20 * 6 * 9 / 10)
        #expect(world.document.members.count == 7)
        #expect(world.most(in: .seconds(10)) <= 20)
    }

    @Test func `a node without work gives its share back`() {
        var world = World()
        world.add(count: 20, per: .seconds(10), nodes: 2)
        world.run(for: .seconds(60))
        world.run(for: .seconds(60)) { $0 == 0 }
        let before = world.nodes[0].starts.count
        world.run(for: .seconds(60)) { $0 == 0 }
        #expect(world.nodes[0].starts.count - before >= 20 * 6 * 9 / 10)
        #expect(world.most(in: .seconds(10)) <= 20)
    }

    @Test func `a node that can't write stops before others take its share`() {
        var world = World()
        world.add(count: 20, per: .seconds(10), nodes: 1)
        world.run(for: .seconds(30))
        // It still fetches, but nothing of it is written any more.
        world.nodes[0].nextLook = .seconds(86_400)
        world.add(count: 20, per: .seconds(10), nodes: 1)
        world.run(for: .seconds(120))
        #expect(world.nodes[1].starts.count > 100)
        #expect(world.most(in: .seconds(10)) <= 20)
    }
}
