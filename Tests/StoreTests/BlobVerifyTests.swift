import Foundation
import Hashing
import Synchronization
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(1)))
struct BlobVerifyTests {
    let scratch: StoreScratch
    let store: BlobStore

    init() throws {
        scratch = try StoreScratch()
        store = try BlobStore(root: scratch.path)
    }

    @Test func `an intact store has no complaints, and progress is reported`() async throws {
        for number in 0..<40 { _ = try await store.put([UInt8(number)]) }
        let seen = Mutex<[Int]>([])
        let report = try await store.verify(repair: false) { done in
            seen.withLock { $0.append(done) }
        }
        #expect(report.blobs == 40)
        #expect(report.bytes == 40)
        #expect(report.corrupt.isEmpty && report.strays.isEmpty)
        let progress = seen.withLock { $0 }
        #expect(progress == progress.sorted())
        #expect(progress.last == 40)
    }

    @Test func `damaged and misplaced files are listed, and repair quarantines them`() async throws
    {
        let good = try await store.put([1])
        var damaged: [Digest] = []
        for (number, damage) in Damage.allCases.enumerated() where damage != .link {
            let digest = try await store.put([100, UInt8(number)])
            try damage.strike(scratch.blob(digest))
            damaged.append(digest)
        }
        let hex = good.hex
        let home = "v2/blobs/\(hex.prefix(2))/\(hex.dropFirst(2).prefix(2))"
        let other = Digest(of: [2]).hex
        let strays = [
            "v2/blobs/README", "v2/blobs/\(hex.prefix(2))/note", "\(home)/\(other)", "\(home)/x",
            "v2/staging/left",
        ]
        for stray in strays { try scratch.write([0], to: stray) }

        var report = try await store.verify(repair: false) { _ in }
        #expect(report.blobs == 1)
        #expect(report.corrupt == damaged.sorted())
        #expect(report.strays == strays.sorted())
        #expect(try await store.statistics().quarantined == 0)
        #expect(try await store.statistics().staging == 1)

        #expect(try await store.verify(repair: true) { _ in } == report)
        report = try await store.verify(repair: false) { _ in }
        #expect(report.blobs == 1)
        #expect(report.corrupt.isEmpty && report.strays.isEmpty)
        #expect(try await store.statistics().quarantined == damaged.count + strays.count - 1)
        #expect(try await store.load(good) == [1])
    }
}
