import Foundation
import Pipeline
import Store
import Synchronization
import TestSupport
import Testing

@testable import Serve

/// The rule by which files and documents are sent again.
@Suite(.timeLimit(.minutes(1))) struct ResponseCacheTests {
    /// Seconds since 1970.
    private static let start = 1_800_000_000.0

    private final class World: Sendable {
        private struct State {
            var now = ResponseCacheTests.start
            var generation = 1
            var mark: IndexMark?
        }

        private let state: Mutex<State>

        init(mark: IndexMark? = nil) { state = Mutex(State(mark: mark)) }

        func setAge(_ seconds: Double) {
            state.withLock { $0.now = ResponseCacheTests.start + seconds }
        }

        func change() { state.withLock { $0.generation += 1 } }

        var present: ResponseLife.Present {
            .init(
                now: { Date(timeIntervalSince1970: self.state.withLock { $0.now }) },
                generation: { self.state.withLock { $0.generation } },
                mark: { self.state.withLock { $0.mark } })
        }

        func cache(bytes: Int = 1_000) -> ResponseCache<String, String> {
            ResponseCache(present, bytes: bytes, count: 100)
        }
    }

    @Test func `a response is sent on while nothing changes, for half a minute`() async throws {
        let directory = try TemporaryDirectory()
        let index = try Index(root: directory.path)
        let mark = try #require(index.mark(at: .max))
        func age(isStale: Bool = false, sentOnFor left: Double = 1_000, _ mark: IndexMark?)
            async throws -> Int
        {
            let world = World(mark: mark)
            let cache = world.cache()
            for second in 0..<100 {
                world.setAge(Double(second))
                let isNew = try await cache.entry("a") { _ in
                    .init(
                        content: "a", cost: 1,
                        lastAt: Date(timeIntervalSince1970: Self.start + left), isStale: isStale)
                }.isNew
                if isNew, second > 0 { return second }
            }
            return 100
        }
        #expect(try await age(mark) == 30)
        #expect(try await age(nil) == 1)
        #expect(try await age(sentOnFor: 10, mark) == 10)
        #expect(try await age(isStale: true, mark) == 1)
    }

    @Test func `a response ends with its second, a change, or what it depends on`() async throws {
        let isUnchanged = Watched(true)
        func made(_ world: World) async throws -> ResponseCache<String, String> {
            isUnchanged.change { $0 = true }
            let cache = world.cache()
            _ = try await cache.entry("a") { _ in
                .init(content: "a", cost: 1) { isUnchanged.value }
            }
            return cache
        }
        let world = World()
        var cache = try await made(world)
        for (age, isCurrent) in [(0, true), (0.99, true), (1, false), (-1, false)] {
            world.setAge(age)
            #expect((cache.current("a") != nil) == isCurrent, "\(age)")
        }
        world.setAge(0)
        world.change()
        #expect(cache.current("a") == nil)
        cache = try await made(world)
        isUnchanged.change { $0 = false }
        #expect(cache.current("a") == nil)
    }

    @Test func `one request renews a response in the second half of its life`() {
        let renewals = Watched(0)
        let world = World()
        let life = ResponseLife(
            .init(generation: 1, mark: nil, madeAt: Date(timeIntervalSince1970: Self.start)),
            until: .distantFuture, isStale: false, holds: { true }
        ) { _ in renewals.change { $0 += 1 } }
        for age in [0, 0.49, 0.5, 0.6, 0.99] {
            world.setAge(age)
            _ = life.use(world.present)
            #expect(renewals.value == (age < 0.5 ? 0 : 1), "\(age)")
        }
    }

    @Test func `a successor takes the place of a response in the background`() async throws {
        let world = World()
        let cache = world.cache()
        let life = try await cache.entry("a") { _ in .init(content: "a", cost: 1) }.entry.life
        world.setAge(0.6)
        _ = life.use(world.present)
        await eventually { cache.removed == 1 }
        #expect(!life.isCurrent(world.present))
        world.setAge(1.5)
        #expect(cache.current("a") != nil)
    }

    @Test func `requests for a response that is being made share it`() async throws {
        let world = World()
        let cache = world.cache()
        let gate = Gate()
        async let first = cache.entry("a") { _ in
            await gate.wait()
            return .init(content: "1", cost: 1)
        }
        await eventually { cache.waiting(for: "a") == 1 }
        async let second = cache.entry("a") { _ in .init(content: "2", cost: 1) }
        await eventually { cache.waiting(for: "a") == 2 }
        // Others aren't held up, nor are requests after a change.
        #expect(
            try await cache.entry("b") { _ in .init(content: "3", cost: 1) }.entry.content == "3")
        world.change()
        #expect(
            try await cache.entry("a") { _ in .init(content: "4", cost: 1) }.entry.content == "4")
        gate.open()
        #expect(try await first.entry.content == "1")
        #expect(try await second.entry.content == "1")
    }

    @Test func `a successor gets what was made before, and none costs nothing`() async throws {
        let world = World()
        let cache = world.cache()
        for round in 0..<3 {
            world.setAge(Double(round) * 2)
            let entry = try await cache.entry("a") { last in
                .init(content: (last ?? "") + "a", cost: 1)
            }.entry
            #expect(entry.content.count == round + 1)
            #expect(try await cache.entry("b") { _ in .init(content: "b") }.isNew)
        }
        cache.removeExpired()
        #expect(cache.current("a") != nil && cache.removed == 2)
        world.setAge(10)
        cache.removeExpired()
        #expect(cache.removed == 3)
    }
}
