import Catalog
import FoundationEssentials
import Store
import TestSupport
import Testing
import Threads

@testable import Pipeline

@Suite(.timeLimit(.minutes(1))) struct DocumentCacheTests {
    /// `part` as a list gives it, `all` as its own document.
    private typealias Cache = DocumentCache<String, String>

    private func withCache(_ body: (Cache, ManualClock) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let index = try Index(root: directory.path)
        let clock = ManualClock()
        var form = DocumentForm<String, String>.json(
            timeToLive: 900, failureLifetime: 30, cost: \.utf8.count
        ) {
            $0
        }
        form.isComplete = { $0 == "all" }
        let cache = Cache(
            index: index, bytes: 1 << 20, form: form, now: { clock.now })
        try await body(cache, clock)
        try index.close()
    }

    @Test func `a fresh part is enough unless the whole is asked for`() async throws {
        try await withCache { cache, _ in
            try await cache.keep([("a", "part", true)])
            let answer = try await cache.value(for: "a") { () throws(Failure) in "all" }
            #expect(answer.document.value == "part")
            #expect(!answer.wasAsked)
        }
    }

    @Test func `memory holds no more than its bytes, keys and failures included`() async throws {
        try await withCache { cache, _ in
            let text = String(repeating: "x", count: 1_000)
            for number in 0..<5_000 { try await cache.keep([("\(number)", text, false)]) }
            #expect(cache.bytes <= 1 << 20 && cache.bytes > 1 << 19)
            for number in 0..<500 {
                let key = "\(number) " + String(repeating: "k", count: 2_000)
                cache.giveUp(key)
                _ = try? await cache.value(for: key) { () throws(Failure) -> String in
                    throw .unavailable(reason: "down", timedOut: false, retryAfter: nil)
                }
            }
            #expect(cache.bytes <= 1 << 20)
        }
    }

    @Test func `a document costs its texts and its fields`() {
        let item = Item(source: "tvmaze", kind: "show", id: "1")
        var entry = CatalogEntry(item: item, title: "Title")
        let short = ItemDetails(entry: entry, chain: [])
        entry.summary = String(repeating: "s", count: 3_000)
        entry.genres = ["Drama", String(repeating: "g", count: 500)]
        entry.translations = ["de": .init(title: String(repeating: "t", count: 700))]
        let url = "https://static.example.org/" + String(repeating: "u", count: 200)
        let long = ItemDetails(
            entry: entry,
            chain: [.candidate(Candidate(url: url, label: "original", rank: 0)), .item(item)])
        #expect(short.bytes > MemoryLayout<ItemDetails>.size && short.bytes < 2_000)
        #expect(long.bytes > short.bytes + 4_400 && long.bytes < short.bytes + 6_500)
        let page = StoredPage(
            page: CatalogPage(items: Array(repeating: long, count: 250), next: nil), firstIndex: 0,
            isWhole: true)
        #expect(page.bytes > 250 * long.bytes)
        #expect(page.bytes < 260 * long.bytes)
    }

    @Test func `the whole replaces a fresh part, once`() async throws {
        try await withCache { cache, _ in
            try await cache.keep([("a", "part", true)])
            let calls = Counter()
            for complete in [true, true, false] {
                let answer = try await cache.value(for: "a", complete: complete) {
                    () throws(Failure) in
                    calls.add()
                    return "all"
                }
                #expect(answer.document.value == "all")
                #expect(!answer.isStale)
            }
            #expect(calls.value == 1)
        }
    }

    @Test func `a part stands in for the whole while its source can't be asked`() async throws {
        try await withCache { cache, _ in
            try await cache.keep([("a", "part", true)])
            let answer = try await cache.value(for: "a", complete: true) {
                () throws(Failure) -> String in
                throw .unavailable(reason: "down", timedOut: false, retryAfter: nil)
            }
            #expect(answer.document.value == "part")
            #expect(answer.isStale)
        }
    }

    @Test func `a caller that wants the whole doesn't join a lookup of a part`() async throws {
        try await withCache { cache, _ in
            let begun = Gate()
            let gate = Gate()
            async let part = cache.value(for: "a") { () throws(Failure) in
                begun.open()
                await gate.wait()
                return "part"
            }
            await begun.wait()
            async let whole = cache.value(for: "a", complete: true) { () throws(Failure) in
                "all"
            }
            await eventually { cache.waiting(for: "a") == 2 }
            gate.open()
            let values = try await [part.document.value, whole.document.value]
            #expect(values == ["part", "all"])
        }
    }

    @Test func `a document that was read is stored once, however many callers wait for it`()
        async throws
    {
        try await withCache { cache, _ in
            let gate = Gate()
            let kept = Counter()
            try await withThrowingTaskGroup { group in
                for _ in 0..<50 {
                    group.addTask {
                        let answer = try await cache.value(for: "a") { () throws(Failure) in
                            await gate.wait()
                            return "all"
                        } parts: { _ in
                            kept.add()
                        }
                        #expect(answer.document.value == "all")
                    }
                }
                await eventually { cache.waiting(for: "a") == 50 }
                gate.open()
                try await group.waitForAll()
            }
            #expect(kept.value == 1)
        }
    }

    @Test func `memory keeps the date at which a document was read, not that of storing it`()
        async throws
    {
        try await withCache { cache, clock in
            let read = clock.now
            let first = try await cache.value(for: "a") { () throws(Failure) in
                "all"
            } parts: {
                _ in
                clock.advance(by: 5)
            }
            let second = try await cache.value(for: "a") { () throws(Failure) in "none" }
            #expect(first.document.fetchedAt == read)
            #expect(second.document.fetchedAt == read)
            #expect(!second.wasAsked)
        }
    }

    @Test func `a document stored by a clock that was ahead is fetched again`() async throws {
        try await withCache { cache, clock in
            clock.advance(by: 1_000_000)
            try await cache.keep([("a", "old", true)])
            clock.advance(by: -1_000_000)
            let answer = try await cache.value(for: "a") { () throws(Failure) in "new" }
            #expect(answer.document.value == "new")
        }
    }

    @Test func `a call that begins after its caller gave up still asks the source`() async throws {
        try await withCache { cache, clock in
            try await cache.keep([("a", "old", true)])
            clock.advance(by: 901)
            cache.giveUp("a")
            #expect(cache.isGivenUp("a"))
            let answer = try await cache.value(for: "a") { () throws(Failure) in "new" }
            #expect(answer.document.value == "new")
            #expect(!answer.isStale)
        }
    }

    @Test func `a caller that gives up doesn't hide a failure, nor keep one alive`() async throws {
        try await withCache { cache, clock in
            let down = Failure.unavailable(reason: "down", timedOut: false, retryAfter: nil)
            await #expect(throws: Failure.self) {
                try await cache.value(for: "a") { () throws(Failure) -> String in throw down }
            }
            cache.giveUp("a")
            await #expect(throws: Failure.self) {
                try await cache.value(for: "a") { () throws(Failure) in "not asked" }
            }
            clock.advance(by: 31)
            #expect(!cache.isGivenUp("a"))
            cache.giveUp("a")
            #expect(cache.isGivenUp("a"))
            let answer = try await cache.value(for: "a") { () throws(Failure) in "new" }
            #expect(answer.document.value == "new")
        }
    }
}
