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
    func `the original that a killed process was rendering is a suspect until it is rendered`()
        async throws
    {
        let scratch = try StoreScratch()
        let child = try await Self.looking(scratch.path)
        let journal = RenderJournal(root: scratch.path)
        #expect(journal.suspects == 0, "it lives")
        let before = await journal.begin(Self.other)
        #expect(!before.isSuspect, "it lives")
        await journal.end(before)
        child.kill()
        _ = await child.status()
        #expect(journal.suspects == 1)
        #expect(await !journal.begin(Self.one).isSuspect, "the process came through with it")
        let entry = await journal.begin(Self.other)
        #expect(entry.isSuspect)
        #expect(journal.suspects == 0, "it is being rendered")
        let beside = RenderJournal(root: scratch.path)
        #expect(await !beside.begin(Self.other).isSuspect, "one process is at it")
        // What was canceled says nothing about it.
        await journal.end(entry, isSuspect: true)
        #expect(beside.suspects == 1)
        let again = await beside.begin(Self.other)
        #expect(again.isSuspect)
        await beside.end(again)
        #expect(journal.suspects == 0)
        #expect(await !journal.begin(Self.other).isSuspect)
        #expect(journal.shortcoming == nil)
    }

    @Test func `a process that ends normally leaves no suspect`() async throws {
        let scratch = try StoreScratch()
        let journal = RenderJournal(root: scratch.path)
        _ = await journal.begin(Self.one)
        journal.close()
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

    @Test func `an original takes the place of a suspect if all slots are full`() async throws {
        let scratch = try StoreScratch()
        let suspects = (0..<RenderJournal.slots).flatMap { Digest(of: [UInt8($0 & 0xFF)]).bytes }
        _ = try StoreLayout(opening: scratch.path)
        try scratch.write(suspects, to: "v2/rendering")
        let journal = RenderJournal(root: scratch.path)
        #expect(journal.suspects == RenderJournal.slots)
        let entry = await journal.begin(Digest(of: [1, 2]))
        #expect(entry.slot != nil)
        await journal.end(entry)
        #expect(journal.suspects == RenderJournal.slots - 1)
    }

    @Test func `on a read-only disk nothing is recorded and nothing fails`() async throws {
        let scratch = try StoreScratch()
        try scratch.write([], to: "v2")
        let journal = RenderJournal(root: scratch.path)
        #expect(journal.shortcoming != nil)
        let entry = await journal.begin(Self.one)
        #expect(!entry.isSuspect)
        await journal.end(entry)
        #expect(journal.suspects == 0)
    }
}
