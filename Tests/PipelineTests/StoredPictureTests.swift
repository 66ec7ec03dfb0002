import Catalog
import Foundation
import Hashing
import Imaging
import Memory
import PipelineSupport
import Store
import TestSupport
import Testing
import Threads

@testable import Pipeline

/// What is in hand is served, and an origin is not asked without end, whatever happens around.
@Suite(.timeLimit(.minutes(1))) struct StoredPictureTests {
    private static let original = FixtureImages.jpeg(width: 680, height: 1000, seed: 1)
    private static let medium = FixtureImages.jpeg(width: 210, height: 295, seed: 2)
    private let path = "/original/1.jpg"

    /// Show 1 with one picture, which is fresh for a minute.
    private func harness(medium: String? = nil) async throws -> Harness {
        let harness = try await Harness()
        harness.serveShow(1, medium: medium)
        harness.origin.on(path, .jpeg(Self.original, maxAge: 60, tag: "a"))
        return harness
    }

    @Test(arguments: [
        OriginReply.html("<html>log in</html>"), .jpeg(FixtureImages.truncated(original)),
    ])
    func `a login page or a broken picture in place of the picture doesn't bring a lesser one`(
        reply: OriginReply
    ) async throws {
        try await withHarness(harness(medium: "")) { harness in
            harness.origin.on("/medium/1.jpg", .jpeg(Self.medium))
            let fresh = try await harness.picture(1)
            #expect(fresh.picture.facts.width == 320)
            harness.origin.on(path, reply)
            harness.clock.advance(by: 61)
            _ = try await harness.pipeline.pictures.ensure(harness.item(1), harness.levels)
            #expect(try await harness.picture(1).picture.bytes == fresh.picture.bytes)
        }
    }

    @Test func `a disk that takes no blob costs no picture, and one download for each refresh`()
        async throws
    {
        try await withHarness(harness()) { harness in
            let blobs = harness.directory.file("v2/blobs")
            try FileManager.default.removeItem(atPath: blobs)
            try Data().write(to: URL(fileURLWithPath: blobs))
            for _ in 0..<40 { #expect(try await !harness.picture(1).picture.isPlaceholder) }
            #expect(try await harness.original(1) == Self.original)
            #expect(harness.origin.log.count(path) == 1)
            #expect(harness.pipeline.status.storage.trouble != nil)
            #expect(harness.pipeline.status.storage.unsavedBytes > Self.original.count)
            harness.clock.advance(by: 61)
            for _ in 0..<40 { #expect(try await !harness.picture(1).picture.isPlaceholder) }
            try await eventually { try await harness.picture(1).outcome == .hit }
            #expect(harness.origin.log.count(path) == 2)

            try FileManager.default.removeItem(atPath: blobs)
            await eventually { harness.pipeline.status.storage.trouble == nil }
            try await harness.restart()
            #expect(try await harness.picture(1).outcome == .hit)
            #expect(harness.origin.log.count(path) == 2)
        }
    }

    @Test func `a warm run reports a disk that can't be written`() async throws {
        try await withHarness(harness()) { harness in
            let blobs = harness.directory.file("v2/blobs")
            try FileManager.default.removeItem(atPath: blobs)
            try Data().write(to: URL(fileURLWithPath: blobs))
            let run = WarmRequest(
                .items([harness.item(1)]), renditions: harness.levels, concurrency: 1)
            await #expect {
                try await harness.pipeline.warm.run(run)
            } throws: { error in
                (error as? Failure)?.kind == .storeUnusable
            }
        }
    }

    @Test
    func `a picture stored by a clock that was ahead is fetched again once the clock is right`()
        async throws
    {
        try await withHarness(harness()) { harness in
            harness.origin.on(path, .jpeg(Self.original, maxAge: 600, tag: "a"))
            let year: TimeInterval = 365 * 86_400
            harness.clock.advance(by: year)
            #expect(try await harness.picture(1).outcome == .miss)
            harness.clock.advance(by: -year)
            let level = try harness.pipeline.level("m")
            let hit = try #require(
                harness.pipeline.pictures.hit(of: harness.item(1), level: level, format: .jpeg))
            #expect(hit.outcome(at: harness.clock.now) == .stale)
            #expect(hit.wantsRefresh(at: harness.clock.now))
            #expect(hit.secondsLeft(at: harness.clock.now) == 0)
            #expect(try await harness.picture(1).outcome == .stale)
            try await eventually { try await harness.picture(1).outcome == .hit }
            #expect(harness.origin.log.count(path) == 2)
        }
    }

    @Test func `an unforeseen error is not blamed on the index`() async {
        struct Surprise: Error {}
        await #expect(
            throws: Failure(
                .unexpected, "Something unexpected went wrong: Surprise().")
        ) {
            try await Failure.catching { throw Surprise() }
        }
    }

    private static let item = Item(source: "tvmaze", kind: "show", id: "1")
    private static let rendition = Rendition(
        level: Level(name: "m", width: 320, height: 480), format: .webp)
    private static let key = PictureKey(item: item, rendition: rendition)
    private static let picture = Picture(
        facts: PictureFacts(
            digest: Digest(of: [1]), byteCount: 1, width: 1, height: 1, renderedAt: Date()),
        bytes: [1], format: .webp, freshUntil: .distantFuture, failure: nil, isPlaceholder: false)

    @Test(arguments: [true, false])
    func `without memory for pictures, those on disk are known where hits are answered`(
        isUsed: Bool
    ) {
        let memory = HitMemory(bytes: 0, isUsed: isUsed, now: { Date() })
        _ = memory.publish(
            [Self.rendition: Self.picture], of: Self.item, among: [Self.rendition])
        #expect((memory.stored.value(Fingerprint(Self.key)) != nil) == isUsed)
        #expect(memory.hit(Self.key) == nil)
    }

    @Test func `a picture that is published again as it was stays the same hit`() throws {
        let memory = HitMemory(bytes: 1 << 20, now: { Date() })
        var picture = Self.picture
        func publish() -> Hit? {
            _ = memory.publish([Self.rendition: picture], of: Self.item, among: [Self.rendition])
            return memory.hit(Self.key)
        }
        let first = try #require(publish())
        #expect(publish() === first && first.isCurrent && memory.retired.value == 0)
        picture.freshUntil = Date()
        let second = try #require(publish())
        #expect(second !== first && !first.isCurrent)
        picture.facts.digest = Digest(of: [2])
        #expect(publish() !== second && !second.isCurrent)
    }

    @Test func `pictures that clients still take after their eviction are bounded`() {
        let memory = HitMemory(bytes: 4 << 20, now: { Date() })
        var picture = Self.picture
        picture.bytes = [UInt8](repeating: 1, count: 100 << 10)
        func publish(_ id: Int) -> Hit? {
            let item = Item(source: Self.item.source, kind: Self.item.kind, id: "\(id)")
            _ = memory.publish([Self.rendition: picture], of: item, among: [Self.rendition])
            return memory.hit(PictureKey(item: item, rendition: Self.rendition))
        }
        // What a client takes has the bytes, whether or not memory has them, too.
        var taken: [Room.Hold] = []
        for id in 0..<1_000 { if let hold = publish(id)?.hold { taken.append(hold) } }
        #expect(taken.count >= 40 && taken.count <= 55)
        #expect(publish(1_000) == nil)
        taken.removeAll()
        #expect(publish(1_001) != nil)
    }

    @Test func `a value read before a change is not published after it`() {
        let epochs = Epochs()
        let tier = MemoryTier<String, Int>(maxCost: 100, maxCount: 100)
        let before = epochs.value(of: "a")
        epochs.advance("a")
        tier.insert(1, for: "a", cost: 1) { _ in epochs.value(of: "a") == before }
        #expect(tier.value("a") == nil)
        let then = epochs.value(of: "a")
        tier.insert(2, for: "a", cost: 1) { $0 == nil && epochs.value(of: "a") == then }
        tier.insert(3, for: "a", cost: 1) { $0 == nil }
        #expect(tier.value("a") == 2)
        epochs.advanceAll()
        #expect(epochs.value(of: "a") != then)
    }
}
