import Foundation
import Hashing
import TestSupport
import Testing

@testable import Store

/// What can happen to a blob behind the store's back.
enum Damage: CaseIterable {
    case flippedBit, truncated, emptied, zeroed, grown, directory, fullDirectory, link, pipe, huge

    func strike(_ path: String) throws {
        let files = FileManager.default
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        func rewrite() throws {
            // In place, as a disk would do it: the inode stays.
            let file = try #require(FileHandle(forWritingAtPath: path))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(bytes))
            try file.close()
        }
        switch self {
        case .flippedBit:
            bytes[bytes.count / 2] ^= 1
            try rewrite()
        case .truncated:
            bytes.removeLast()
            try rewrite()
        case .emptied:
            bytes = []
            try rewrite()
        case .zeroed:
            bytes = bytes.map { _ in 0 }
            try rewrite()
        case .grown:
            bytes.append(0)
            try rewrite()
        case .directory, .fullDirectory:
            try files.removeItem(atPath: path)
            let directory = self == .fullDirectory ? path + "/inside" : path
            try files.createDirectory(atPath: directory, withIntermediateDirectories: true)
        case .link:
            let other = path + ".moved"
            try files.moveItem(atPath: path, toPath: other)
            try files.createSymbolicLink(atPath: path, withDestinationPath: other)
        case .pipe:
            try files.removeItem(atPath: path)
            #expect(mkfifo(path, 0o644) == 0)
        case .huge:
            // Sparse: takes no space, and must not take memory.
            #expect(truncate(path, 1 << 45) == 0 || truncate(path, 1 << 40) == 0)
        }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct BlobDamageTests {
    let scratch: StoreScratch
    let store: BlobStore
    let bytes: [UInt8]

    init() throws {
        scratch = try StoreScratch()
        store = try BlobStore(root: scratch.path)
        var random = SeededGenerator(seed: 1)
        bytes = random.bytes(5000)
    }

    @Test(arguments: Damage.allCases)
    func `a damaged blob is quarantined and never served`(damage: Damage) async throws {
        let digest = try await store.put(bytes)
        try damage.strike(scratch.blob(digest))
        #expect(try await store.load(digest) == nil)
        #expect(try await store.contains(digest) == false)
        #expect(try scratch.names("v2/quarantine").allSatisfy { $0.hasSuffix(digest.hex) })
        #expect(try await store.statistics().quarantined == 1)
        #expect(try await store.put(bytes) == digest)
        #expect(try await store.load(digest) == bytes)
    }

    @Test(
        arguments: Damage.allCases.filter { $0 != .flippedBit && $0 != .zeroed },
        [StagingMethod.anonymous, .named])
    func `put replaces a file that can't be the blob`(
        damage: Damage, staging: StagingMethod
    ) async throws {
        let store = try BlobStore(root: scratch.path, staging: staging)
        let digest = try await store.put(bytes)
        try damage.strike(scratch.blob(digest))
        #expect(try await store.put(bytes) == digest)
        #expect(try await store.load(digest) == bytes)
        #expect(try await store.statistics().quarantined == 1)
    }

    @Test(arguments: Damage.allCases)
    func `any file with a blob's name is removed`(damage: Damage) async throws {
        let digest = try await store.put(bytes)
        try damage.strike(scratch.blob(digest))
        try await store.remove(digest)
        #expect(try await store.contains(digest) == false)
    }

    @Test func `only the latest damaged files are kept`() async throws {
        for number in 0..<(Quarantine.capacity + 3) {
            let digest = try await store.put([UInt8(number)])
            let damage = number % 2 == 0 ? Damage.flippedBit : .fullDirectory
            try damage.strike(scratch.blob(digest))
            #expect(try await store.load(digest) == nil)
        }
        let names = try scratch.names("v2/quarantine")
        #expect(names.count == Quarantine.capacity)
        #expect(!names.contains { $0.hasSuffix(Digest(of: [0]).hex) })
        let last = Digest(of: [UInt8(Quarantine.capacity + 2)])
        #expect(names.contains { $0.hasSuffix(last.hex) })
    }

    @Test(arguments: 0..<8)
    func `the blob store agrees with a dictionary after random operations`(seed: UInt64)
        async throws
    {
        var random = SeededGenerator(seed: seed)
        let pool = (0..<12).map { _ in random.bytes(Int.random(in: 1...3000, using: &random)) }
        var model: [Digest: [UInt8]] = [:]
        var damaged: Set<Digest> = []
        for _ in 0..<150 {
            guard let bytes = pool.randomElement(using: &random) else { break }
            let digest = Digest(of: bytes)
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                #expect(try await store.put(bytes) == digest)
                // One of the same size isn't looked into; the next load does that.
                if !damaged.contains(digest) { model[digest] = bytes }
            case 2, 3:
                #expect(try await store.load(digest) == model[digest])
                damaged.remove(digest)
            case 4:
                try await store.remove(digest)
                model[digest] = nil
                damaged.remove(digest)
            default:
                guard model[digest] != nil else { continue }
                try Damage.flippedBit.strike(scratch.blob(digest))
                model[digest] = nil
                damaged.insert(digest)
            }
        }
        let report = try await store.verify(repair: false) { _ in }
        #expect(report.blobs == model.count)
        #expect(report.corrupt == damaged.sorted())
    }
}
