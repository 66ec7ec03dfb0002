import Foundation
import Hashing
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(3)), .enabled(if: SyncWatch.isPossible && !Sanitizer.isAtWork))
struct PowerCutTests {
    /// Enough that nothing is evicted.
    private static let budget = 1 << 40

    /// What a power cut left.
    private struct Outcome {
        /// Rows that were confirmed, and of these the ones that are gone.
        var confirmed = 0
        var lost = 0
        /// Rows whose blob is gone or damaged.
        var unserved = 0
        var damaged = 0
    }

    @Test(arguments: Slow.isOn ? 1...4 : 1...1)
    func `with durability power each blob that the index names is whole after a power cut`(
        seed: UInt64
    ) async throws {
        let outcome = try await outcome("storm-power", seed)
        #expect(outcome.unserved == 0)
        #expect(outcome.damaged == 0)
        #expect(outcome.confirmed > outcome.lost)
    }

    @Test(arguments: Slow.isOn ? 5...6 : 5...5)
    func `with durability process a power cut loses blobs, and none is served wrongly`(
        seed: UInt64
    ) async throws {
        let outcome = try await outcome("storm", seed)
        // Otherwise nothing was cut.
        #expect(outcome.damaged > 0)
    }

    /// Three runs of writers on one cache, each ended by a power cut, and what was found after them.
    private func outcome(_ task: String, _ seed: UInt64) async throws -> Outcome {
        let scratch = try StoreScratch()
        let power = try await PowerCut(root: scratch.path)
        var random = SeededGenerator(seed: seed)
        var outcome = Outcome()
        for run in 0..<3 {
            let patience = Int.random(in: 5...60, using: &random)
            try power.begin()
            let named = try await named(task, scratch.path, 4 * run, power, after: patience)
            // The kernel writes in any order: the first time all rows are on the disk already.
            try power.strike(&random, sparing: run == 0 ? "\(scratch.path)/v2/index" : nil)

            let (blobs, index) = (try BlobStore(root: scratch.path), try Index(root: scratch.path))
            #expect(!index.wasRebuilt)
            try expectRightCounts(blobs.files.space, scratch)
            for row in named {
                outcome.confirmed += 1
                guard try await index.names(row.thumbnail) else {
                    outcome.lost += 1
                    continue
                }
                // Whatever load returns has that digest, or it returns nothing.
                let loaded = try await blobs.load(row.thumbnail)
                if let loaded { #expect(Digest(of: loaded) == row.thumbnail) }
                if loaded == nil { outcome.unserved += 1 }
            }
            outcome.damaged += try await blobs.verify(repair: true) { _ in }.corrupt.count
            outcome.damaged += blobs.healed
            let rows = try await index.verify(against: blobs, repair: true)
            #expect(rows.complaints.isEmpty)
            outcome.unserved += rows.missing.count
            #expect(try await index.verify(against: blobs, repair: false) == IndexVerification())
            #expect(try await blobs.verify(repair: false) { _ in }.corrupt.isEmpty)
            try index.close()
        }
        return outcome
    }

    /// What the ledger says after the machine was started again and the upkeep has begun.
    private func expectRightCounts(_ space: DiskSpace, _ scratch: StoreScratch) throws {
        // Without a ledger everything is counted anyway.
        if try scratch.names("v2").contains("shared") { try scratch.makeLedgerEarlier() }
        try space.countSome()
        let counted = space.ledger.counts.blobs
        for fan in 0..<256 { try space.count(fan: fan) }
        #expect(space.ledger.counts.blobs == counted)
    }

    private struct Named: Sendable {
        var original: Digest
        var thumbnail: Digest
    }

    /// The pictures that a child has confirmed when it is killed after some of them.
    private func named(
        _ task: String, _ root: String, _ first: Int, _ power: PowerCut, after patience: Int
    ) async throws -> [Named] {
        let child = try ChildProcess(
            task: task, root: root, more: [Self.budget, 0, 4, first].map(String.init),
            wrapper: power.wrapper)
        let lines = try await child.lines(killedAfter: patience)
        var named: [Named] = []
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            #expect(["named", "pinned"].contains(words[0]), "the child said: \(line)")
            guard words[0] == "named" else { continue }
            named.append(
                Named(
                    original: try #require(Digest(hex: words[1])),
                    thumbnail: try #require(Digest(hex: words[2]))))
        }
        return named
    }
}
