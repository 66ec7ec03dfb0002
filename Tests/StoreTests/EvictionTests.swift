import Hashing
import Testing

@testable import Store

@Suite
struct EvictionTests {
    private func candidate(
        _ number: UInt8, _ role: Eviction.Role, bytes: Int = 10_000, age: Int = 3_600,
        isPinned: Bool = false
    ) -> Eviction.Candidate {
        Eviction.Candidate(
            digest: Digest(of: [number]), bytes: bytes, role: role, age: age,
            isPinned: isPinned)
    }

    private func order(_ sample: [Eviction.Candidate]) -> [Digest] {
        Eviction.victims(sample, need: DiskUsage(bytes: .max, files: .max), most: 1).map(\.digest)
    }

    @Test func `an original goes before a thumbnail of the same size and age`() {
        let thumbnail = candidate(1, .thumbnail(hasOriginal: true))
        let original = candidate(2, .original(hasThumbnails: true))
        #expect(order([thumbnail, original]) == [original.digest, thumbnail.digest])
    }

    @Test func `an old large original goes before the thumbnails of a popular picture`() {
        let popular = candidate(1, .thumbnail(hasOriginal: true), bytes: 60_000, age: 10)
        let original = candidate(
            2, .original(hasThumbnails: true), bytes: 112_000, age: 86_400)
        #expect(order([popular, original]).first == original.digest)
    }

    @Test func `of two equal thumbnails the one used longer ago goes first`() {
        let old = candidate(1, .thumbnail(hasOriginal: true), age: 7_200)
        let recent = candidate(2, .thumbnail(hasOriginal: true), age: 60)
        #expect(order([recent, old]) == [old.digest, recent.digest])
    }

    @Test func `of two thumbnails of the same age the larger goes first`() {
        let small = candidate(1, .thumbnail(hasOriginal: true), bytes: 2_000)
        let large = candidate(2, .thumbnail(hasOriginal: true), bytes: 60_000)
        #expect(order([small, large]) == [large.digest, small.digest])
    }

    @Test func `a thumbnail whose original is gone costs more, so it stays longer`() {
        let cheap = candidate(1, .thumbnail(hasOriginal: true))
        let dear = candidate(2, .thumbnail(hasOriginal: false))
        #expect(order([dear, cheap]) == [cheap.digest, dear.digest])
    }

    @Test func `pinned blobs never go`() {
        let pinned = candidate(1, .thumbnail(hasOriginal: true), age: .max, isPinned: true)
        let other = candidate(2, .thumbnail(hasOriginal: true), age: 0)
        #expect(order([pinned, other]) == [other.digest])
    }

    @Test func `orphans go even if nothing is needed, unless they were just written`() {
        let orphan = candidate(1, .orphan(mayBeNamed: false))
        let fresh = candidate(2, .orphan(mayBeNamed: true))
        let thumbnail = candidate(3, .thumbnail(hasOriginal: true))
        let victims = Eviction.victims([thumbnail, fresh, orphan], need: DiskUsage())
        #expect(victims == [orphan])
    }

    @Test func `a blob that no row names yet goes last, however large it is`() {
        let fresh = candidate(1, .orphan(mayBeNamed: true), bytes: 1_000_000, age: 0)
        let small = candidate(2, .thumbnail(hasOriginal: false), bytes: 500, age: 0)
        #expect(order([fresh, small]) == [small.digest, fresh.digest])
    }

    @Test func `it ends as soon as enough is freed`() {
        let sample = (1...20).map {
            candidate(UInt8($0), .thumbnail(hasOriginal: true), age: $0 * 100)
        }
        let victims = Eviction.victims(sample, need: DiskUsage(bytes: 25_000, files: 1), most: 1)
        #expect(victims.map(\.age) == [2_000, 1_900, 1_800])
    }

    @Test func `at most a quarter of a sample goes`() {
        let sample = (1...20).map { candidate(UInt8($0), .original(hasThumbnails: true)) }
        let victims = Eviction.victims(sample, need: DiskUsage(bytes: .max, files: .max))
        #expect(victims.count == 5)
    }

    @Test func `numbers at their limits don't stop the program`() {
        let sample = [
            candidate(1, .original(hasThumbnails: false), bytes: .max, age: .max),
            candidate(2, .original(hasThumbnails: false), bytes: 0, age: .min),
        ]
        #expect(order(sample).count == 2)
    }
}
