import Foundation
import Hashing
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(1)))
struct LastUsesTests {
    let scratch: StoreScratch
    let layout: StoreLayout
    private let digest = Digest(of: [1])
    private let start = 1_800_000_000

    init() throws {
        scratch = try StoreScratch()
        layout = try StoreLayout(opening: scratch.path)
    }

    @Test func `a use is remembered to the step`() {
        let uses = LastUses(layout, blobs: 1_000)
        #expect(uses.age(of: digest, at: start) == nil)
        uses.touch(digest, at: start)
        #expect(uses.age(of: digest, at: start) == 0)
        #expect(uses.age(of: digest, at: start + 10 * LastUses.step) == 10 * LastUses.step)
        #expect(uses.age(of: Digest(of: [2]), at: start) == nil)
    }

    @Test func `uses are kept across a restart`() throws {
        let uses = LastUses(layout, blobs: 1_000)
        uses.touch(digest, at: start)
        try uses.exchange(at: start)
        let next = LastUses(layout, blobs: 1_000)
        try next.exchange(at: start + LastUses.step)
        #expect(next.age(of: digest, at: start + LastUses.step) == LastUses.step)
    }

    @Test func `of two processes the later use counts`() throws {
        let (one, two) = (LastUses(layout, blobs: 1), LastUses(layout, blobs: 1))
        let later = start + 5 * LastUses.step
        two.touch(digest, at: later)
        one.touch(digest, at: start)
        try two.exchange(at: later)
        try one.exchange(at: later)
        #expect(one.age(of: digest, at: later) == 0)
        one.touch(digest, at: later + LastUses.step)
        try one.exchange(at: later + LastUses.step)
        try two.exchange(at: later + LastUses.step)
        #expect(two.age(of: digest, at: later + LastUses.step) == 0)
    }

    @Test func `any file is read, and one that can't be written loses no use`() throws {
        var random = SeededGenerator(seed: 9)
        try Data(random.bytes(50_001)).write(to: URL(fileURLWithPath: layout.uses))
        let uses = LastUses(layout, blobs: 1)
        uses.touch(digest, at: start)
        try uses.exchange(at: start)
        #expect(uses.age(of: digest, at: start) == 0)
        try FileManager.default.removeItem(atPath: layout.uses)
        try StoreLayout.makeDirectories(layout.uses)
        uses.touch(digest, at: start + LastUses.step)
        #expect(throws: StoreError.self) { try uses.exchange(at: start + LastUses.step) }
        try FileManager.default.removeItem(atPath: layout.uses)
        try uses.exchange(at: start + LastUses.step)
        let next = LastUses(layout, blobs: 1)
        try next.exchange(at: start + LastUses.step)
        #expect(next.age(of: digest, at: start + LastUses.step) == 0)
    }
}
