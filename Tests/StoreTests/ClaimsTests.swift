import Foundation
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(1)))
struct ClaimsTests {
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

    @Test func `within a process equal claims don't exclude each other`() async throws {
        let (one, two) = (Claims(layout), Claims(layout))
        var first = try await one.claim("a")
        let again = try await one.claim("a")
        #expect(first != nil && again != nil)
        first = nil
        #expect(try await two.claim("a", patience: .zero) == nil)
        withExtendedLifetime(again) {}
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
        try FileManager.default.createDirectory(
            atPath: layout.claims, withIntermediateDirectories: false)
        #expect(try await Claims(layout).claim("a") == nil)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct SharedRatesTests {
    let scratch: StoreScratch
    let layout: StoreLayout

    init() throws {
        scratch = try StoreScratch()
        layout = try StoreLayout(opening: scratch.path)
    }

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

    @Test func `a start that was taken back leaves room`() {
        let rates = SharedRates(layout)
        #expect(rates.start("a", count: 1, per: .seconds(600)) == nil)
        rates.cancel("a")
        #expect(rates.start("a", count: 1, per: .seconds(600)) == nil)
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
            try Data(random.bytes(count)).write(to: URL(fileURLWithPath: layout.rates))
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
}
