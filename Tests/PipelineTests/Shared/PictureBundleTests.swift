import Catalog
import FoundationEssentials
import Hashing
import PipelineSupport
import Store
import Synchronization
import Testing

@testable import Pipeline

@Suite struct PictureBundleTests {
    private let original = Digest(of: [1])
    private let recipe = "0123456789abcdef"

    private var bundle: PictureBundle {
        PictureBundle(
            original: original, recipe: recipe,
            entries: [("xs:80x120.webp", 80, 300), ("m:320x480.jpg", 320, 0)].map {
                let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: $1), count: $2)
                return .init(
                    name: $0, width: $1, height: $1 + 1, digest: Digest(of: bytes), bytes: bytes)
            })
    }

    @Test func `a bundle is read as it was written, and written the same each time`() throws {
        let bytes = bundle.encoded()
        #expect(bytes == bundle.encoded())
        #expect(try PictureBundle(bytes, of: original, recipe: recipe) == bundle)
        let empty = PictureBundle(original: original, recipe: recipe, entries: [])
        #expect(try PictureBundle(empty.encoded(), of: original, recipe: recipe) == empty)
    }

    @Test func `a bundle with any byte changed, missing or added is damaged`() {
        let bytes = bundle.encoded()
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0x10
            #expect(throws: PictureBundle.Damage.self, "byte \(index)") {
                try PictureBundle(changed, of: original, recipe: recipe)
            }
            #expect(throws: PictureBundle.Damage.self, "\(index) bytes") {
                try PictureBundle(Array(bytes[..<index]), of: original, recipe: recipe)
            }
        }
        #expect(throws: PictureBundle.Damage.self) {
            try PictureBundle(bytes + [0], of: original, recipe: recipe)
        }
    }

    @Test func `a bundle of another original or recipe is not taken for this one`() {
        let bytes = bundle.encoded()
        #expect(throws: PictureBundle.Damage(reason: "it is of another original")) {
            try PictureBundle(bytes, of: Digest(of: [2]), recipe: recipe)
        }
        #expect(throws: PictureBundle.Damage(reason: "it has another recipe")) {
            try PictureBundle(bytes, of: original, recipe: "fedcba9876543210")
        }
    }
}

@Suite struct ItemReferenceTests {
    private let item = Item(source: "tvmaze", kind: "show", id: "1")

    private func resolution(
        _ levels: [String], _ original: UInt8, at seconds: Double
    ) -> ItemRecord.Resolution {
        .init(
            levels: levels, original: Digest(of: [original]), url: "https://a/\(original)",
            failure: nil, trace: nil, resolvedAt: Date(timeIntervalSince1970: seconds),
            freshUntil: Date(timeIntervalSince1970: seconds + 60))
    }

    @Test func `of two writers the later one counts, level by level`() {
        var first = ItemReference(ItemRecord("tvmaze/show/1"))
        first.record.resolutions = [resolution(["l", "m", "s"], 1, at: 10)]
        var second = ItemReference(ItemRecord("tvmaze/show/1"))
        second.record.resolutions = [resolution(["s"], 2, at: 20), resolution(["xs"], 3, at: 5)]
        var merged = first
        merged.merge(second)
        var reversed = second
        reversed.merge(first)
        for reference in [merged, reversed] {
            #expect(reference.record.resolution(of: "m") == resolution(["l", "m"], 1, at: 10))
            #expect(reference.record.resolution(of: "s") == resolution(["s"], 2, at: 20))
            #expect(reference.record.resolution(of: "xs") == resolution(["xs"], 3, at: 5))
        }
    }

    @Test func `a reference is read as it was written, and not for another item`() throws {
        var reference = ItemReference(ItemRecord("tvmaze/show/1"))
        reference.record.resolutions = [resolution(["m"], 1, at: 1_700_000_000.123)]
        let bytes = try reference.encoded()
        #expect(ItemReference(bytes, of: item) == reference)
        // This node's mark is not among it.
        var marked = reference.record
        marked.uploadSince = Date(timeIntervalSince1970: 1)
        #expect(ItemReference(marked) == reference)
        #expect(ItemReference(bytes, of: Item(source: "tvmaze", kind: "show", id: "2")) == nil)
        #expect(ItemReference(Array("{}".utf8), of: item) == nil)
        let newer = String(decoding: bytes, as: UTF8.self)
            .replacing("\"version\":1", with: "\"version\":2")
        #expect(ItemReference(Array(newer.utf8), of: item) == nil)
    }
}

/// What nodes of other versions write, and read.
@Suite struct StoredReferenceTests {
    @Test(arguments: [
        ("\"width\":2", "\"width\":0", "an original has the impossible size 0×3"),
        ("\"width\":2", "\"width\":-1", "an original has the impossible size -1×3"),
        (
            "\"height\":3", "\"height\":9223372036854775807",
            "an original has the impossible size 2×9223372036854775807"
        ),
        ("\"byteCount\":7", "\"byteCount\":-7", "an original has an impossible number of bytes"),
        ("\"byteCount\":9", "\"byteCount\":-9", "a bundle is described impossibly"),
        ("\"color\":\"#405060\"", "\"color\":\"red\"", "the preview of an original is none"),
        ("\"thumbHash\":[1,2]", "\"thumbHash\":[]", "the preview of an original is none"),
        (
            "\"fetchedAt\":1700000000000", "\"fetchedAt\":1e300",
            "a date of an original is in no calendar"
        ),
        ("\"resolvedAt\":1700000000000}]", "\"resolvedAt\":-1e300}]", "a date is in no calendar"),
        ("\"until\":1700000030000}", "\"until\":9e15}", "a date is in no calendar"),
        ("\"levels\":[\"xs:80x120\"]", "\"levels\":[\"x s\"]", "a level has an impossible name"),
        ("\"levels\":[\"xs:80x120\"]", "\"levels\":[]", "a level has an impossible name"),
        (
            "\"format\":\"jpeg\"", "\"entityTag\":\"a\\r\\nb: c\",\"format\":\"jpeg\"",
            "an original has characters that no URL and no field has"
        ),
        ("\"version\":1", "\"version\":2", "it is not a reference of its item"),
    ])
    func `a reference with an impossible value counts as missing, for a reason that is named`(
        member: String, replaced: String, reason: String
    ) {
        let item = Item(source: "tvmaze", kind: "show", id: "1")
        let wrong = text.replacing(member, with: replaced)
        #expect(wrong != text)
        #expect(ItemReference(Array(wrong.utf8), of: item) == nil)
        if !replaced.contains("version") {
            #expect(ItemReference.fault(of: Array(wrong.utf8)) == reason)
        }
    }

    private let text = #"""
        {"item":"tvmaze/show/1","originals":[{"bundles":{"0123456789abcdef":{"byteCount":9,\#
        "sha256":"aa"}},"byteCount":7,"color":"#405060","digest":"DIGEST",\#
        "fetchedAt":1700000000000,"format":"jpeg","freshUntil":1700000060000,"height":3,\#
        "thumbHash":[1,2],"url":"https://a/1","width":2}],"resolutions":[{"failure":{\#
        "kind":"unavailable","reason":"503","until":1700000030000},"freshUntil":1700000060000,\#
        "levels":["m:320x480","s:160x240"],"original":"DIGEST","resolvedAt":1700000000000,\#
        "trace":{"steps":[{"label":"original","note":"200","outcome":"chosen",\#
        "url":"https://a/1"}],"walkedAt":1700000000000},"url":"https://a/1"},{"failure":{\#
        "kind":"absent","reason":"none","until":1700000030000},"freshUntil":1700000030000,\#
        "levels":["xs:80x120"],"resolvedAt":1700000000000}],"version":1}
        """#.replacing("DIGEST", with: Digest(of: [1]).hex)

    @Test func `a reference has the members that other versions read and write`() throws {
        let item = Item(source: "tvmaze", kind: "show", id: "1")
        let reference = try #require(ItemReference(Array(text.utf8), of: item))
        #expect(String(decoding: try reference.encoded(), as: UTF8.self) == text)
        let shown = try #require(reference.record.resolution(of: "s:160x240"))
        #expect(shown.original == Digest(of: [1]) && shown.failure?.reason == "503")
        #expect(shown.trace?.trace?.steps.map(\.outcome) == [.chosen])
        #expect(reference.record.resolution(of: "xs:80x120")?.failure?.kind == "absent")
        #expect(reference.originals.first?.bundles["0123456789abcdef"]?.byteCount == 9)
    }
}

@Suite struct SharedBreakerTests {
    private let start = ContinuousClock.now

    private func after(_ seconds: Int) -> ContinuousClock.Instant {
        start.advanced(by: .seconds(seconds))
    }

    /// Returns what the breaker says to requests at these seconds.
    private func admitted(_ breaker: inout SharedBreaker, at seconds: Int...) -> [Bool] {
        var answers: [Bool] = []
        for second in seconds { answers.append(breaker.admit(at: after(second))) }
        return answers
    }

    @Test func `after five failures in a row it rests, then lets one request through`() {
        var breaker = SharedBreaker()
        for _ in 1...4 { breaker.failed(at: start) }
        let closed = admitted(&breaker, at: 0, 0)
        #expect(closed == [true, true] && breaker.state(at: start) == .closed)
        breaker.failed(at: start)
        let open = admitted(&breaker, at: 0)
        #expect(open == [false] && breaker.state(at: start) == .open)
        #expect(breaker.state(at: after(1)) == .halfOpen)
        let probe = admitted(&breaker, at: 1, 1)
        #expect(probe == [true, false])
        breaker.failed(at: after(1))
        let longer = admitted(&breaker, at: 2, 3)
        #expect(longer == [false, true])
        breaker.succeeded()
        let recovered = admitted(&breaker, at: 3, 3)
        #expect(recovered == [true, true] && breaker.state(at: after(3)) == .closed)
    }

    @Test func `a rest is never longer than half a minute`() {
        var breaker = SharedBreaker()
        var now = 0
        for _ in 0..<20 {
            breaker.failed(at: after(now))
            now += 30
        }
        let late = admitted(&breaker, at: now)
        #expect(late == [true])
    }

    @Test func `a probe that was canceled makes room for another`() {
        var breaker = SharedBreaker()
        for _ in 1...5 { breaker.failed(at: start) }
        let first = admitted(&breaker, at: 1)
        breaker.canceled()
        let second = admitted(&breaker, at: 1)
        #expect(first == [true] && second == [true])
    }

    @Test func `a store that fails again and again is not asked for a while`() async throws {
        let objects = FaultyObjects()
        objects.set(.down)
        let time = Mutex(start)
        let shared = SharedObjects(
            objects, patience: .seconds(600), metrics: PipelineMetrics(),
            logger: Harness.silentLogger, time: { time.withLock { $0 } })
        let count = SharedBreaker.threshold
        for _ in 0..<(count + 5) { _ = try await shared.read("i/a", limit: 1) }
        #expect(objects.log.count == count && shared.state == .open)
        time.withLock { $0 = after(1) }
        for _ in 0..<5 { _ = try await shared.read("i/a", limit: 1) }
        #expect(objects.log.count == count + 1)
    }
}
