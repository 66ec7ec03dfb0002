import Foundation
import Hashing
import Synchronization
import TestSupport
import Testing
import Threads

@testable import Store

/// Files that are damaged while pictures are loaded and put.
@Suite(.timeLimit(.minutes(5)))
struct DamageStormTests {
    private static let pictures = 48
    private static let rounds = Slow.isOn ? 400 : 100

    let scratch: StoreScratch
    let blobs: BlobStore
    let index: Index
    let upkeep: Upkeep
    private let loads = Loads()

    /// What the readers saw.
    private final class Loads: Sendable {
        let hits = Atomic(0)
        let misses = Atomic(0)
        let wrong = Atomic(0)
    }

    init() throws {
        scratch = try StoreScratch()
        var policy = StorePolicy()
        policy.limits = DiskLimits(bytes: 64 << 20, files: .max, minFree: 0)
        blobs = try BlobStore(root: scratch.path, policy: policy)
        index = try Index(root: scratch.path)
        upkeep = Upkeep(
            blobs: blobs, index: index, userData: try UserData(root: scratch.path))
    }

    private static func bytes(_ number: Int) -> [UInt8] {
        var random = SeededGenerator(seed: UInt64(number))
        return random.bytes(2_000 + number * 997)
    }

    @Test func `damage under load is never served, heals, and leaves nothing behind`() async throws
    {
        let digests = try await fill()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for reader in 0..<4 { group.addTask { try await read(digests, seed: UInt64(reader)) } }
            group.addTask { try await keepHouse() }
            group.addTask { try await damageBlobs(digests) }
            group.addTask { try await damageOthers() }
            try await group.waitForAll()
        }
        #expect(loads.wrong.load(ordering: .relaxed) == 0)
        #expect(loads.hits.load(ordering: .relaxed) > Self.rounds)
        #expect(loads.misses.load(ordering: .relaxed) > 0)
        #expect(blobs.healed > 0)

        for number in 0..<Self.pictures {
            _ = try await blobs.put(Self.bytes(number))
            if try await blobs.load(digests[number]) == nil {
                // A swapped file has the right size, so only a load finds it.
                _ = try await blobs.put(Self.bytes(number))
            }
            #expect(try await blobs.load(digests[number]) == Self.bytes(number))
        }
        _ = try await blobs.verify(repair: true) { _ in }
        let report = try await blobs.verify(repair: false) { _ in }
        #expect(report.corrupt.isEmpty)
        #expect(report.strays.isEmpty)
        #expect(report.blobs == Self.pictures)
        try await expectCounted()
    }

    /// After a scrub the ledger says what is on the disk.
    private func expectCounted() async throws {
        for fan in 0..<256 { try await upkeep.scrub.check(fan: fan, rate: 1 << 40) }
        let sample = try DiskSample(scratch.path)
        for fan in 0..<256 {
            #expect(sample.ledger.usage(of: .fan(fan)) == sample.fans[fan])
        }
        #expect(try scratch.names("v2/quarantine").count <= Quarantine.capacity)
    }

    private func fill() async throws -> [Digest] {
        var digests: [Digest] = []
        for number in 0..<Self.pictures {
            digests.append(try await blobs.put(Self.bytes(number)))
        }
        return digests
    }

    /// Loads pictures whole and in parts, and puts what is missing.
    private func read(_ digests: [Digest], seed: UInt64) async throws {
        var random = SeededGenerator(seed: 1_000 + seed)
        for round in 0..<Self.rounds {
            let number = Int.random(in: 0..<Self.pictures, using: &random)
            let right = Self.bytes(number)
            let found =
                round % 2 == 0
                ? try await blobs.load(digests[number]) : try await readInParts(digests[number])
            if let found {
                loads.hits.add(1, ordering: .relaxed)
                if found != right { loads.wrong.add(1, ordering: .relaxed) }
            } else {
                loads.misses.add(1, ordering: .relaxed)
                _ = try await blobs.put(right)
            }
        }
    }

    /// nil also if the file changes while it is read.
    private func readInParts(_ digest: Digest) async throws -> [UInt8]? {
        guard let blob = try await blobs.open(digest) else { return nil }
        var bytes: [UInt8] = []
        while bytes.count < blob.byteCount {
            let end = min(bytes.count + 10_000, blob.byteCount)
            do throws(StoreError) {
                bytes += try await blob.read(bytes.count..<end)
            } catch {
                guard case .inputOutput(_, "read", ESTALE) = error else { throw error }
                return nil
            }
        }
        return bytes
    }

    /// Everything that uses the other files.
    private func keepHouse() async throws {
        let layout = blobs.files.layout
        let claims = Claims(layout)
        let rates = SharedRates(layout)
        for round in 0..<Self.rounds {
            let now = blobs.now()
            _ = try await claims.claim("key \(round % 7)", patience: .zero)
            _ = rates.start("host-\(round % 5)", count: 20, per: .seconds(10))
            // A directory in the place of a file fails; it must not trap.
            _ = try? blobs.uses.exchange(at: now)
            if let position = try? ScrubPosition(layout) { position.save(round % 256) }
            try await upkeep.scrub.check(fan: round % 256, rate: 1 << 40)
            await upkeep.tick()
        }
    }

    private func damageBlobs(_ digests: [Digest]) async throws {
        var random = SeededGenerator(seed: 2_000)
        for _ in 0..<Self.rounds {
            let path = scratch.blob(try #require(digests.randomElement(using: &random)))
            let other = scratch.blob(try #require(digests.randomElement(using: &random)))
            let kind = Int.random(in: 0..<5, using: &random)
            let chance = Int.random(in: 0..<1_000_000, using: &random)
            await blobs.threads.run { FileDamage.strike(path, other, kind, chance) }
        }
    }

    private func damageOthers() async throws {
        var random = SeededGenerator(seed: 3_000)
        for _ in 0..<Self.rounds / 4 {
            let name = try #require(
                ["uses", "shared", "claims"].randomElement(using: &random))
            let other = try #require(
                ["uses", "shared", "claims"].randomElement(using: &random))
            let kind = Int.random(in: 0..<5, using: &random)
            let chance = Int.random(in: 0..<1_000_000, using: &random)
            let tree = blobs.files.layout.tree
            await blobs.threads.run {
                FileDamage.strike("\(tree)/\(name)", "\(tree)/\(other)", kind, chance)
            }
        }
    }
}

/// Damages files that others use. Those that are gone stay as they are.
private enum FileDamage {
    static func strike(_ path: String, _ other: String, _ kind: Int, _ chance: Int) {
        switch kind {
        case 0: flip(path, chance)
        case 1: truncate(path, off_t(chance % 5_000))
        case 2: truncate(path, 0)
        case 3: swap(path, other)
        default: unlink(path)
        }
    }

    private static func flip(_ path: String, _ chance: Int) {
        let file = open(path, O_RDWR)
        guard file >= 0 else { return }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_size > 0 else { return }
        let place = off_t(chance) % status.st_size
        var byte: UInt8 = 0
        guard pread(file, &byte, 1, place) == 1 else { return }
        byte ^= 1 << UInt8(chance % 8)
        pwrite(file, &byte, 1, place)
    }

    /// Not in one step, as a careless program would.
    private static func swap(_ path: String, _ other: String) {
        let middle = path + ".swapped"
        if rename(path, middle) != 0 { return }
        if rename(other, path) != 0 {
            rename(middle, path)
        } else {
            rename(middle, other)
        }
    }
}
