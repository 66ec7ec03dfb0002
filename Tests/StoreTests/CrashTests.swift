import Foundation
import Hashing
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(1)))
struct CrashTests {
    @Test(arguments: [("write", UInt64(1)), ("write-named", 2)])
    func `after kill -9 all confirmed blobs are there and all blobs are whole`(
        mode: String, seed: UInt64
    ) async throws {
        let scratch = try StoreScratch()
        var random = SeededGenerator(seed: seed)
        var done: [Digest] = []
        for _ in 0..<(Slow.isOn ? 6 : 2) {
            let patience = Int.random(in: 1...30, using: &random)
            let lines = try await run(mode, scratch.path, killedAfter: patience)
            for line in lines {
                let words = line.split(separator: " ")
                #expect(words.first == "done", "the child said: \(line)")
                done.append(try #require(Digest(hex: String(words.last ?? ""))))
            }
            if mode == "write" { #expect(try scratch.names("v2/staging").isEmpty) }

            let store = try BlobStore(root: scratch.path)
            let index = try Index(root: scratch.path)
            #expect(!index.wasRebuilt)
            #expect(try scratch.names("v2/staging").isEmpty)
            let report = try await store.verify(repair: false) { _ in }
            #expect(report.corrupt.isEmpty)
            #expect(report.strays.isEmpty)
            let rows = try await index.verify(against: store, repair: false)
            #expect(rows == IndexVerification())
            for digest in done {
                #expect(try await store.load(digest) != nil)
                #expect(try await index.thumbnails(of: digest).count == 1)
                let item = "item/\(digest.hex)"
                #expect(try await index.item(item).resolutions.map(\.original) == [digest])
            }
            try index.close()
        }
    }

    /// All lines of a child that is killed after some of them, while another store is opened beside
    /// it: that must not take its staging files away.
    private func run(
        _ mode: String, _ root: String, killedAfter patience: Int
    ) async throws -> [String] {
        let child = try ChildProcess(task: mode, root: root)
        return try await child.lines(killedAfter: patience) {
            _ = try BlobStore(root: root)
        }
    }
}

/// Writers with a small budget that are killed while they evict. `make crashes` kills 200 times.
@Suite(.timeLimit(.minutes(60)))
struct StormCrashTests {
    /// Eviction keeps the rows of originals, so that the index grows with each kill.
    private static let budget = (16 + kills / 8) << 20
    private static let kills =
        ProcessInfo.processInfo.environment["VITRINE_CRASHES"].flatMap { Int($0) }
        ?? (Slow.isOn ? 8 : 4)

    @Test func `after kill -9 during eviction the store is sound and within its budget`()
        async throws
    {
        let scratch = try StoreScratch()
        _ = try BlobStore(root: scratch.path)
        var random = SeededGenerator(seed: UInt64(Self.kills))
        var pinned: Set<Digest> = []
        var slowest = Duration.zero
        var originals: [Digest] = []
        for run in 0..<Self.kills {
            let patience = Int.random(in: 8...80, using: &random)
            for line in try await lines(scratch.path, 4 * run, killedAfter: patience) {
                let words = line.split(separator: " ").map(String.init)
                #expect(["named", "pinned"].contains(words[0]), "the child said: \(line)")
                if words[0] == "pinned" {
                    pinned.insert(try #require(Digest(hex: words[1])))
                } else {
                    originals.append(try #require(Digest(hex: words[1])))
                }
            }
            // Before the store is opened, which mends things.
            let left = try DiskSample(scratch.path)
            #expect(left.bytes <= Self.budget)
            #expect(left.undercounted == [])

            let start = ContinuousClock.now
            let (blobs, index) = (try BlobStore(root: scratch.path), try Index(root: scratch.path))
            slowest = max(slowest, start.duration(to: .now))
            #expect(!index.wasRebuilt)
            #expect(try scratch.names("v2/staging").isEmpty)
            let report = try await blobs.verify(repair: false) { _ in }
            #expect(report.corrupt.isEmpty)
            #expect(report.strays.isEmpty)
            let rows = try await index.verify(against: blobs, repair: false)
            #expect(rows.complaints.isEmpty)
            // Rows of thumbnails go before their blobs. Those of originals stay.
            let uses = try await index.uses(of: rows.missing)
            #expect(uses.values.allSatisfy { $0.thumbnailOf.isEmpty })
            for digest in pinned { #expect(try await blobs.load(digest) != nil) }
            if run == Self.kills - 1 {
                #expect(try await blobs.present(Set(originals)).count < originals.count)
            }
            try index.close()
        }
        #expect(!pinned.isEmpty)
        print("\(Self.kills) kills; the slowest start took \(slowest)")
    }

    /// All lines of a child that is killed after some of them.
    private func lines(
        _ root: String, _ first: Int, killedAfter patience: Int
    ) async throws -> [String] {
        let child = try ChildProcess(
            task: "storm", root: root, more: [Self.budget, 0, 4, first].map(String.init))
        return try await child.lines(killedAfter: patience)
    }
}
