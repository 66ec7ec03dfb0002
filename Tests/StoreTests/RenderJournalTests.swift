import Foundation
import Hashing
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(1))) struct RenderJournalTests {
    private static let one = Digest(of: [1])
    private static let other = Digest(of: [2])

    /// A process that looked at one original, and looks at the other until it is killed.
    private static func looking(_ root: String) async throws -> ChildProcess {
        let child = try ChildProcess(
            task: "look", root: root, more: ["\(one.hex),\(other.hex)"])
        try await blocking { try child.readLines { $0 != "looking" } }
        return child
    }

    @Test
    func `the original that a killed process was rendering is a suspect until it is acquitted`()
        async throws
    {
        let scratch = try StoreScratch()
        let child = try await Self.looking(scratch.path)
        #expect(RenderJournal(root: scratch.path).suspects == 0, "it lives")
        child.kill()
        _ = await child.status()
        let journal = RenderJournal(root: scratch.path)
        #expect(journal.suspects == 1)
        #expect(await !journal.begin(Self.one).isSuspect, "the process came through with it")
        let entry = await journal.begin(Self.other)
        #expect(entry.isSuspect)
        await journal.end(entry)
        // Also for a process that starts beside this one, and after it.
        #expect(RenderJournal(root: scratch.path).suspects == 1)
        await journal.acquit(Self.other)
        #expect(journal.suspects == 0)
        #expect(await !journal.begin(Self.other).isSuspect)
        #expect(RenderJournal(root: scratch.path).suspects == 0)
        #expect(journal.shortcoming == nil)
    }

    @Test func `a running process learns which originals a dead process was rendering`()
        async throws
    {
        let scratch = try StoreScratch()
        let journal = RenderJournal(root: scratch.path, lookEvery: .zero)
        let child = try await Self.looking(scratch.path)
        let before = await journal.begin(Self.other)
        #expect(!before.isSuspect, "it lives")
        await journal.end(before)
        child.kill()
        _ = await child.status()
        #expect(await !journal.begin(Self.one).isSuspect)
        #expect(await journal.begin(Self.other).isSuspect)
        await journal.acquit(Self.other)
        #expect(await !journal.begin(Self.other).isSuspect)
        #expect(journal.suspects == 0)
        #expect(journal.shortcoming == nil)
    }

    @Test func `a process that ends normally leaves no file`() async throws {
        let scratch = try StoreScratch()
        let journal = RenderJournal(root: scratch.path)
        _ = await journal.begin(Self.one)
        journal.close()
        #expect(try scratch.names("v2/renders") == ["suspects"])
        #expect(RenderJournal(root: scratch.path).suspects == 0)
    }

    @Test func `originals beyond the slots are not recorded and do no harm`() async throws {
        let scratch = try StoreScratch()
        let journal = RenderJournal(root: scratch.path)
        var entries: [RenderJournal.Entry] = []
        for number in 0..<RenderJournal.slots + 2 {
            entries.append(await journal.begin(Digest(of: [UInt8(number & 0xFF)])))
        }
        #expect(entries.count { $0.slot == nil } == 2)
        for entry in entries { await journal.end(entry) }
        #expect(await journal.begin(Self.one).slot != nil)
        #expect(journal.shortcoming == nil)
    }

    @Test func `on a read-only disk nothing is recorded and nothing fails`() async throws {
        let scratch = try StoreScratch()
        try scratch.write([], to: "v2")
        let journal = RenderJournal(root: scratch.path)
        #expect(journal.shortcoming != nil)
        let entry = await journal.begin(Self.one)
        #expect(!entry.isSuspect)
        await journal.end(entry)
        await journal.acquit(Self.one)
    }

    @Test func `the newest suspects are kept, each once`() {
        let digests = (0..<5).map { Digest(of: [$0]) }
        let merged = RenderJournal.Slots.merged(
            [digests[3], digests[1]], into: Array(digests[0..<3]), atMost: 3)
        #expect(merged == [digests[3], digests[1], digests[0]])
        let bytes = digests[0].bytes + [UInt8](repeating: 0, count: 32) + digests[1].bytes + [1]
        #expect(RenderJournal.Slots.digests(in: bytes) == [digests[0], digests[1]])
        #expect(RenderJournal.Slots.digests(in: [1]).isEmpty)
    }
}
