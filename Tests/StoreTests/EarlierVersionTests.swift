import Foundation
import GRDB
import Hashing
import Synchronization
import Testing

@testable import Store

/// What version 0.9 wrote, and what it needs to find. Both share a cache's directory.
@Suite(.timeLimit(.minutes(1)))
struct EarlierVersionTests {
    let scratch: StoreScratch
    let index: Index

    init() throws {
        scratch = try StoreScratch()
        index = try Index(root: scratch.path)
    }

    @Test func `a trace and a date that 0.9 packed are read`() async throws {
        let (item, url) = (
            "tvmaze/show/169",
            "https://static.tvmaze.com/uploads/images/original/163/407679.jpg"
        )
        var binding = BindingRecord.sample(item, "m", nil)
        binding.url = url
        var original = OriginalRecord.sample(url, Digest(of: [1]))
        try await index.record(original)
        try await index.record(thumbnails: [], bindings: [binding])
        try await index.write { database in
            try database.execute(
                sql: """
                    UPDATE resolutions SET trace = x'0190008496018dab048c9e0189f9018484018894\
                    03b714b9ed038b4f103738343535333032322e3132333435367d';
                    UPDATE originals SET lastModified = 784903526;
                    """)
        }
        binding.trace = Array(
            #"""
            {"steps":[{"label":"catalog tvmaze\/show\/169","note":"asked","outcome":"followed"},\#
            {"label":"original","note":"200","outcome":"chosen","url":"https:\/\/static.tvmaze.com\#
            \/uploads\/images\/original\/163\/407679.jpg"}],"walkedAt":784553022.123456}
            """#.utf8)
        #expect(try await index.binding(item: item, level: "m") == binding)
        original.lastModified = "Tue, 15 Nov 1994 12:45:26 GMT"
        #expect(try await index.original(url: url) == original)
        // Purges find all that a trace names, too.
        let found = Mutex<[UInt8]>([])
        _ = try await index.purge(
            PurgeRequest(
                items: .item(item), mode: .hard, isDocument: { _ in false },
                addresses: { trace in
                    found.withLock { $0 = trace }
                    return []
                }))
        #expect(found.withLock { $0 } == binding.trace)
    }

    @Test(arguments: [UInt64(1), 2])
    func `a damaged packed trace gives no trace or another one`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let coding = PackedTrace(context: ["https://example.org/a.jpg"])
        for _ in 0..<2_000 {
            let packed = (0..<40).map { _ in UInt8.random(in: 0...255, using: &random) }
            _ = coding.unpacked([1] + packed)
        }
        #expect(coding.unpacked([1, 5, 1]) == nil)
        #expect(coding.unpacked([1, 200, 255, 255, 127]) == nil)
        #expect(coding.unpacked([7]) == nil)
    }

    @Test func `0.9 finds all tables that it looks for`() async throws {
        let columns = try await index.read { database in
            try database.columns(in: "imports").map(\.name)
        }
        #expect(columns == ["kind", "place", "copied", "isDone"])
    }
}
