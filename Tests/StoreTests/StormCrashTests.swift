import Foundation
import Hashing
import TestSupport
import Testing

@testable import Store

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
