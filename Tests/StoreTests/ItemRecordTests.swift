import FoundationEssentials
import GRDB
import Hashing
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(1))) struct ItemRecordTests {
    private let item = "tvmaze/show/1"

    private func resolution(
        _ levels: [String], _ original: UInt8?, at number: Int
    ) -> ItemRecord.Resolution {
        var resolution = ItemRecord.Resolution.sample("", original.map { Digest(of: [$0]) })
        resolution.levels = levels
        resolution.resolvedAt = day(number)
        return resolution
    }

    @Test func `what is said of a level replaces what was said of it before, even if it is older`()
    {
        var record = ItemRecord(item, [resolution(["l", "m", "s"], 1, at: 5)])
        record.set(resolution(["m"], 2, at: 3))
        #expect(
            record.resolutions == [
                resolution(["l", "s"], 1, at: 5), resolution(["m"], 2, at: 3),
            ])
        record.set(resolution(["m"], 1, at: 5))
        #expect(record.resolutions == [resolution(["l", "m", "s"], 1, at: 5)])
    }

    @Test func `of what another node says only the later counts, level by level`() {
        let own = ItemRecord(
            item, [resolution(["l", "m"], 1, at: 5), resolution(["s"], nil, at: 7)])
        let other = ItemRecord(item, [resolution(["m", "s", "xs"], 2, at: 6)])
        #expect(other.newer(than: own).resolutions == [resolution(["m", "xs"], 2, at: 6)])
        var (one, two) = (own, other)
        one.merge(other)
        two.merge(own)
        #expect(one == two)
        #expect(
            one.resolutions == [
                resolution(["l"], 1, at: 5), resolution(["m", "xs"], 2, at: 6),
                resolution(["s"], nil, at: 7),
            ])
    }

    @Test func `the index keeps the record as it is set, whatever was there before`() async throws {
        var random = SystemRandomNumberGenerator()
        let scratch = try StoreScratch()
        let index = try Index(root: scratch.path)
        var expected = ItemRecord(item)
        for _ in 0..<40 {
            let levels = ["l", "m", "s", "xs"].filter { _ in Bool.random(using: &random) }
            if levels.isEmpty { continue }
            let new = resolution(
                levels, UInt8.random(in: 0..<3, using: &random),
                at: Int.random(in: 1..<4, using: &random))
            expected.set(new)
            try await index.record(items: [ItemRecord(item, [new])])
            #expect(try await index.item(item) == expected)
            #expect(try await index.items([item]) == [expected])
        }
        let rows = try await index.read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM resolutions")
        }
        #expect(rows == expected.resolutions.count)
        #expect(try await index.item("tvmaze/show/2") == ItemRecord("tvmaze/show/2"))
        try index.close()
    }

    @Test func `a row that can't be read is replaced by what is found out next`() async throws {
        let scratch = try StoreScratch()
        let index = try Index(root: scratch.path)
        try await index.record(items: [.sample(item, "m", Digest(of: [1]))])
        try await index.write {
            try $0.execute(sql: "UPDATE resolutions SET resolvedAt = 9223372036854775807")
        }
        await #expect(throws: StoreError.self) { try await index.item(item) }
        let purge = PurgeRequest(
            items: .item(item), expiry: day(1), documents: .none)
        #expect(try await index.purge(purge).items == [item])
        let new = ItemRecord.sample(item, "s", Digest(of: [2]))
        try await index.record(items: [new])
        #expect(try await index.item(item) == new)
        try index.close()
    }

    @Test
    func `marked items are listed by their age, and keep their marks when they are resolved again`()
        async throws
    {
        let scratch = try StoreScratch()
        let index = try Index(root: scratch.path)
        for (number, since) in [(1, 3), (2, 1), (3, 2)] {
            var record = ItemRecord.sample("a/b/\(number)", "m", Digest(of: [1]))
            record.uploadSince = day(since)
            try await index.record(items: [record])
        }
        try await index.record(items: [
            .sample("a/b/2", "m", Digest(of: [2])), .sample("a/b/4", "m", Digest(of: [2])),
        ])
        let count = try await index.uploadCount()
        #expect(count.count == 3 && count.oldest == day(1))
        let marks = try await index.uploadMarks(limit: 2)
        #expect(marks.map(\.item) == ["a/b/2", "a/b/3"])
        #expect(try await index.uploadMark(of: "a/b/2") == marks.first)
        #expect(try await index.uploadMark(of: "a/b/4") == nil)
        try index.close()

        let again = try Index(root: scratch.path)
        #expect(try await again.uploadMarks(limit: 2) == marks)
        for mark in marks { try await again.remove(mark) }
        #expect(try await again.uploadMarks(limit: 9).map(\.item) == ["a/b/1"])
        #expect(try await again.item("a/b/2").resolutions.count == 1)
        try again.close()
    }

    @Test func `a mark that was set again meanwhile stays`() async throws {
        let scratch = try StoreScratch()
        let index = try Index(root: scratch.path)
        // The clock stands still, or is set back.
        for since in [5, 5, 4] {
            var record = ItemRecord.sample(item, "m", Digest(of: [1]))
            record.uploadSince = day(since)
            let read = try await index.uploadMark(of: item)
            try await index.record(items: [record])
            if let read { try await index.remove(read) }
            #expect(try await index.uploadMark(of: item) != nil)
        }
        let mark = try #require(try await index.uploadMark(of: item))
        try await index.remove(mark)
        #expect(try await index.uploadCount().count == 0)
        try index.close()
    }

    @Test(arguments: [IndexRows.oldestUploads, IndexRows.uploadCount])
    func `the list of marked items is read by a key`(query: String) async throws {
        let scratch = try StoreScratch()
        let index = try Index(root: scratch.path)
        let plan = try await index.read { database in
            try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(query)")
                .map { $0["detail"] as String }
        }
        #expect(plan.count == 1 && plan.allSatisfy { $0.contains("INDEX itemsByUpload") })
        try index.close()
    }
}
