import Foundation
import Synchronization
import TestSupport
import Testing
import Threads

@testable import Store

/// What several processes on one cache share: claims, rates and the count of purges.
@Suite(.timeLimit(.minutes(1)))
struct SharedFileTests {
    let scratch: StoreScratch
    let layout: StoreLayout

    init() throws {
        scratch = try StoreScratch()
        layout = try StoreLayout(opening: scratch.path)
    }

    @Test func `a second process waits until the first one is done`() async throws {
        let (one, two) = (Claims(layout), Claims(layout))
        var first = try await one.claim("url:a")
        #expect(first != nil)
        #expect(try await two.claim("url:a", patience: .zero) == nil)
        #expect(try await two.claim("url:b", patience: .zero) != nil)
        let waiting = Task { try await two.claim("url:a", patience: .seconds(50)) }
        first = nil
        #expect(try await waiting.value != nil)
    }

    @Test func `a claim that is free is had at once, and one that is taken is not`() async throws {
        let (one, two) = (Claims(layout), Claims(layout))
        var first = one.claimNow("a")
        #expect(first?.wasAwaited == false)
        #expect(two.claimNow("a") == nil)
        #expect(two.claimNow("b") != nil)
        first = nil
        #expect(two.claimNow("a") != nil)
    }

    @Test func `within a process equal claims don't exclude each other`() async throws {
        let (one, two) = (Claims(layout), Claims(layout))
        var first = try await one.claim("a")
        let again = try await one.claim("a")
        #expect(first != nil && again != nil)
        first = nil
        #expect(try await two.claim("a", patience: .zero) == nil)
        withExtendedLifetime(again) {}
    }

    @Test func `a claim that was waited for in vain is nil, and so are the request's next ones`()
        async throws
    {
        let (stopped, two) = (Claims(layout), Claims(layout))
        let claims = [try await stopped.claim("a"), try await stopped.claim("b")]
        try await Claims.withPatience(.milliseconds(1)) { () async throws in
            #expect(try await two.claim("a", patience: .seconds(3_000)) == nil)
            // Further calls within the first one don't add to its patience.
            try await Claims.withPatience(.seconds(3_000)) { () async throws in
                #expect(try await two.claim("b", patience: .seconds(3_000)) == nil)
                #expect(try await two.claim("c") != nil)
            }
        }
        #expect(two.waiting == 0)
        withExtendedLifetime(claims) {}
    }

    @Test func `a canceled task stops waiting`() async throws {
        let (one, two) = (Claims(layout), Claims(layout))
        let first = try await one.claim("a")
        let waiting = Task { try await two.claim("a", patience: .seconds(50)) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { _ = try await waiting.value }
        withExtendedLifetime(first) {}
    }

    @Test func `a file that can't be opened excludes no process`() async throws {
        try StoreLayout.makeDirectories(layout.claims)
        #expect(try await Claims(layout).claim("a") == nil)
    }

    // MARK: - Rates

    @Test func `a rate holds for two processes together`() throws {
        let rates = [SharedRates(layout), SharedRates(layout)]
        for number in 0..<20 {
            #expect(rates[number % 2].start("a", count: 20, per: .seconds(600)) == nil)
        }
        for rate in rates {
            let wait = try #require(rate.start("a", count: 20, per: .seconds(600)))
            #expect(wait > .seconds(1) && wait <= .seconds(600))
        }
        #expect(rates[0].start("b", count: 1, per: .seconds(600)) == nil)
    }

    @Test func `only what has begun uses the rate`() {
        let rates = [SharedRates(layout), SharedRates(layout)]
        for rate in rates {
            #expect(rate.start("a", count: 1, per: .seconds(600)) { false } == nil)
        }
        #expect(rates[0].start("a", count: 1, per: .seconds(600)) == nil)
        for rate in rates {
            let wait = rate.start("a", count: 1, per: .seconds(600)) {
                Issue.record("it began beyond the rate")
                return true
            }
            #expect(wait != nil)
        }
    }

    @Test(arguments: [1, 5, 20, 62])
    func `no window has more starts of all processes than the rate allows`(count: Int) {
        let clock = Mutex<Int64>(5)
        let rates = (0..<3).map { _ in
            SharedRates(layout) { clock.withLock(\.self) }
        }
        var random = SeededGenerator(seed: UInt64(count))
        var starts: [Int64] = []
        for _ in 0..<count * 20 {
            let process = rates[Int.random(in: 0..<3, using: &random)]
            if let wait = process.start("a", count: count, per: .nanoseconds(1_000)) {
                #expect(wait > .zero)
                // The next may start after exactly that time.
                let (_, fraction) = wait.components
                clock.withLock { $0 += fraction / 1_000_000_000 }
                #expect(process.start("a", count: count, per: .nanoseconds(1_000)) == nil)
            }
            let now = clock.withLock(\.self)
            starts.append(now)
            clock.withLock { $0 += Int64.random(in: 0...300, using: &random) }
        }
        for (first, next) in zip(starts, starts.dropFirst(count)) {
            #expect(next - first >= 1_000)
        }
    }

    @Test func `a process that stopped with the lock holds the others up for a second`() throws {
        let clock = Mutex<Int64>(0)
        let rates = SharedRates(layout) { clock.withLock(\.self) }
        #expect(rates.start("a", count: 1, per: .seconds(600)) == nil)
        let stopped = try SharedFile(layout.shared)
        #expect(stopped.lock(SharedPage.rates, waiting: false) == true)
        for time in [0, 500, 999] as [Int64] {
            clock.withLock { $0 = time * 1_000_000 }
            let wait = rates.start("b", count: 1, per: .seconds(600)) {
                Issue.record("it began")
                return true
            }
            #expect(wait == .milliseconds(1))
        }
        clock.withLock { $0 = 1_000_000_000 }
        #expect(rates.start("a", count: 1, per: .seconds(600)) == nil)
        stopped.unlock(SharedPage.rates)
        #expect(rates.start("a", count: 1, per: .seconds(600)) != nil)
    }

    @Test func `starts before the window don't count`() {
        let rates = SharedRates(layout)
        #expect(rates.start("a", count: 1, per: .nanoseconds(1)) == nil)
        #expect(rates.start("a", count: 1, per: .nanoseconds(1)) == nil)
    }

    @Test func `any content of the file is read`() throws {
        var random = SeededGenerator(seed: 3)
        for count in [0, 1, 600, 70_000] {
            try Data(random.bytes(count)).write(to: URL(fileURLWithPath: layout.shared))
            let rates = SharedRates(layout)
            #expect(rates.start("a", count: 1, per: .seconds(600)) == nil)
            #expect(rates.start("a", count: 1, per: .seconds(600)) != nil)
        }
    }

    @Test func `more hosts than slots are forgotten, the longest unasked first`() {
        let rates = SharedRates(layout)
        for number in 0..<200 {
            #expect(rates.start("host\(number)", count: 1, per: .seconds(600)) == nil)
        }
        #expect(rates.start("host199", count: 1, per: .seconds(600)) != nil)
        #expect(rates.start("host0", count: 1, per: .seconds(600)) == nil)
    }

    // MARK: - Purges

    @Test func `a process notices each purge of another one once, and none of its own`() async {
        let (one, two) = (PurgeCount(layout), PurgeCount(layout))
        #expect(await !two.hasGrown())
        for _ in 0..<300 {
            await one.add()
            #expect(await !one.hasGrown())
            #expect(await two.hasGrown())
            #expect(await !two.hasGrown())
        }
    }

    @Test func `a purge of its own doesn't hide an earlier one of another process`() async {
        let (one, two) = (PurgeCount(layout), PurgeCount(layout))
        await one.add()
        await two.add()
        #expect(await one.hasGrown())
        #expect(await two.hasGrown())
    }

    @Test func `purges before the start are not noticed, those with a new file are`() async throws {
        await PurgeCount(layout).add()
        let count = PurgeCount(layout)
        #expect(await !count.hasGrown())
        for bytes in [0, 3, 70] {
            try Data(repeating: 9, count: bytes).write(to: URL(fileURLWithPath: layout.shared))
            await PurgeCount(layout).add()
            #expect(await count.hasGrown())
        }
    }

    @Test func `a file that can't be opened stops no purge`() async throws {
        try StoreLayout.makeDirectories(layout.shared)
        let count = PurgeCount(layout)
        await count.add()
        #expect(await !count.hasGrown())
    }

    // MARK: - Blocks

    private func blockCount() -> BlockCount { BlockCount(layout, ThreadPool("test", count: 1)) }

    @Test func `every process reads the blocks after each change, and then knows them`() async {
        let (one, two) = (blockCount(), blockCount())
        #expect(!one.isCurrent && !two.isCurrent)
        for count in [one, two] { count.know(await count.number()) }
        #expect(one.isCurrent && two.isCurrent)
        await one.add()
        for count in [one, two] {
            #expect(!count.isCurrent)
            let number = await count.number()
            #expect(!count.isCurrent)
            count.know(number)
            #expect(count.isCurrent)
        }
    }

    @Test func `blocks that were changed while they were read are read again`() async {
        let (one, two) = (blockCount(), blockCount())
        let number = await two.number()
        await one.add()
        two.know(number)
        #expect(!two.isCurrent)
    }

    @Test(arguments: [0, 3, 70])
    func `a file of the count that was cut, or replaced, has the blocks read again`(bytes: Int)
        async throws
    {
        let (one, two) = (blockCount(), blockCount())
        await one.add()
        two.know(await two.number())
        try Data(repeating: 9, count: bytes).write(to: URL(fileURLWithPath: layout.shared))
        _ = await two.number()
        #expect(!two.isCurrent)
        two.know(await two.number())
        await one.add()
        #expect(!two.isCurrent)
        try FileManager.default.removeItem(atPath: layout.shared)
        await one.add()
        _ = await two.number()
        #expect(!two.isCurrent)
    }

    @Test func `without a file of the count the blocks are read once`() async throws {
        try StoreLayout.makeDirectories(layout.shared)
        let count = blockCount()
        #expect(!count.isCurrent)
        count.know(await count.number())
        #expect(count.isCurrent)
        await count.add()
        #expect(count.isCurrent)
    }
}
