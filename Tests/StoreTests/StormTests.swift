import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Store

/// Eight writers in two processes write four times the budget; twice in small.
@Suite(.timeLimit(.minutes(5)))
struct StormTests {
    private static let budget = 32 << 20
    /// Of each process.
    private static let bytes = (Slow.isOn ? 2 : 1) * budget

    /// - Parameter budgets: of the two processes, in MiB.
    @Test(arguments: Slow.isOn ? [[32, 32], [32, 20]] : [[32, 20]])
    func `the budget holds at every moment of a write storm, and no load is wrong`(
        budgets: [Int]
    ) async throws {
        let scratch = try StoreScratch()
        _ = try BlobStore(root: scratch.path)
        let samples = Samples(budget: Self.budget)
        let children = try zip([0, 4], budgets).map { first, budget in
            try ChildProcess(
                task: "storm", root: scratch.path,
                more: [budget << 20, Self.bytes, 4, first].map(String.init))
        }
        async let first = lines(of: children[0], scratch.path, samples)
        async let second = lines(of: children[1], scratch.path, samples)
        let ends = try await first + second
        for child in children { #expect(await child.status() == 0) }
        // Nothing but the ends: no wrong bytes, no failure.
        #expect(ends.count == 2)
        for end in ends {
            let words = end.split(separator: " ")
            #expect(words.first == "end", "the child said: \(end)")
            #expect(words.count == 3 && words[1] != "0", "no load was a hit: \(end)")
        }
        let seen = samples.seen
        #expect(seen.broken.isEmpty)
        // A picture has 184 kB on average, and a sample is taken for each.
        #expect(seen.count > 2 * Self.bytes / 260_000)
        #expect(seen.most > Self.budget / 2)
        try await expectSound(scratch.path)
    }

    /// Returns the lines of a child, and takes a sample for each picture that it has stored.
    private func lines(
        of child: ChildProcess, _ root: String, _ samples: Samples
    ) async throws -> [String] {
        try await blocking {
            var lines: [String] = []
            try child.readLines { line in
                if line.hasPrefix("named") {
                    samples.add(try DiskSample(root))
                } else {
                    lines.append(line)
                }
                return true
            }
            return lines
        }
    }

    private func expectSound(_ root: String) async throws {
        let (blobs, index) = (try BlobStore(root: root), try Index(root: root))
        let report = try await blobs.verify(repair: false) { _ in }
        #expect(report.corrupt.isEmpty)
        #expect(report.strays.isEmpty)
        // Originals that were evicted keep their rows.
        let rows = try await index.verify(against: blobs, repair: false)
        #expect(rows.complaints.isEmpty)
        let uses = try await index.uses(of: rows.missing)
        #expect(uses.values.allSatisfy { $0.thumbnailOf.isEmpty })
        let ledger = blobs.files.space.ledger
        for fan in 0..<256 {
            let counted = ledger.counts.usage(of: .fan(fan))
            try blobs.files.space.count(fan: fan)
            #expect(ledger.counts.usage(of: .fan(fan)) == counted)
        }
        try index.close()
    }
}

/// What another process saw on the disk.
private final class Samples: Sendable {
    struct Seen {
        var count = 0
        /// Largest number of bytes.
        var most = 0
        /// Sentences about samples that broke a limit.
        var broken: [String] = []
    }

    private let budget: Int
    private let state = Mutex(Seen())

    init(budget: Int) { self.budget = budget }

    var seen: Seen { state.withLock { $0 } }

    func add(_ sample: DiskSample) {
        state.withLock { seen in
            seen.count += 1
            seen.most = max(seen.most, sample.bytes)
            if sample.bytes > budget { seen.broken.append("\(sample.bytes) bytes of \(budget)") }
            seen.broken += sample.undercounted
        }
    }
}

/// What is below a cache directory, as `lstat` says, and what the ledger says at the same moment.
struct DiskSample {
    var bytes = 0
    var fans = [DiskUsage](repeating: DiskUsage(), count: 256)
    let ledger: LedgerCounts

    /// Takes the sample while the ledger is locked: then no process begins a blob, and what was
    /// begun before is counted. Blobs may still vanish. Blocks.
    init(_ root: String) throws {
        let layout = try StoreLayout(opening: root)
        let (file, place) = (try SharedFile(layout.shared), SharedPage.ledger)
        #expect(file.lock(place, waiting: true) == true)
        defer { file.unlock(place) }
        ledger = LedgerCounts(bytes: file.read(place.count, at: place.offset) ?? [])
        try add(layout.root, fan: nil)
    }

    /// A sentence for each first-level directory that holds more than the ledger says.
    var undercounted: [String] {
        fans.indices.compactMap { fan in
            let counted = ledger.usage(of: .fan(fan)) ?? DiskUsage()
            let found = fans[fan]
            if counted.bytes >= found.bytes, counted.files >= found.files { return nil }
            return "\(fan) holds \(found), counted are \(counted)"
        }
    }

    private mutating func add(_ directory: String, fan: Int?) throws {
        for name in try directoryNames(directory) {
            let path = directory + "/" + name
            guard let status = try fileStatus(path) else { continue }
            let size =
                status.isDirectory ? 4_096 : (Int(status.st_size) + 4_095) / 4_096 * 4_096
            let fan =
                fan ?? (directory.hasSuffix("/v2/blobs") ? Int(name, radix: 16) : nil)
            bytes += size
            if let fan { fans[fan] += DiskUsage(bytes: size, files: 1) }
            if status.isDirectory { try add(path, fan: fan) }
        }
    }
}
