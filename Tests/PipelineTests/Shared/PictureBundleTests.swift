import Catalog
import FoundationEssentials
import Hashing
import Store
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
    ) -> ItemReference.Resolution {
        .init(
            levels: levels, original: Digest(of: [original]), url: "https://a/\(original)",
            failure: nil, trace: nil, resolvedAt: Date(timeIntervalSince1970: seconds),
            freshUntil: Date(timeIntervalSince1970: seconds + 60))
    }

    @Test func `of two writers the later one counts, level by level`() {
        var first = ItemReference(item: "tvmaze/show/1")
        first.resolutions = [resolution(["l", "m", "s"], 1, at: 10)]
        var second = ItemReference(item: "tvmaze/show/1")
        second.resolutions = [resolution(["s"], 2, at: 20), resolution(["xs"], 3, at: 5)]
        var merged = first
        merged.merge(second)
        var reversed = second
        reversed.merge(first)
        for reference in [merged, reversed] {
            #expect(reference.resolution(of: "m") == resolution(["l", "m"], 1, at: 10))
            #expect(reference.resolution(of: "s") == resolution(["s"], 2, at: 20))
            #expect(reference.resolution(of: "xs") == resolution(["xs"], 3, at: 5))
        }
    }

    @Test func `a reference is read as it was written, and not for another item`() throws {
        var reference = ItemReference(item: "tvmaze/show/1")
        reference.resolutions = [resolution(["m"], 1, at: 1_700_000_000.123)]
        let bytes = try reference.encoded()
        #expect(ItemReference(bytes, of: item) == reference)
        #expect(ItemReference(bytes, of: Item(source: "tvmaze", kind: "show", id: "2")) == nil)
        #expect(ItemReference(Array("{}".utf8), of: item) == nil)
        let newer = String(decoding: bytes, as: UTF8.self)
            .replacing("\"version\":1", with: "\"version\":2")
        #expect(ItemReference(Array(newer.utf8), of: item) == nil)
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
}
