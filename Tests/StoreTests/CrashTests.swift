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
