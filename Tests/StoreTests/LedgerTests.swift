import Foundation
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(1)))
struct LedgerTests {
    let scratch: StoreScratch
    let layout: StoreLayout

    init() throws {
        scratch = try StoreScratch()
        layout = try StoreLayout(opening: scratch.path)
    }

    private func ledger(isNew: Bool = true) -> Ledger { Ledger(layout, isNew: isNew) }

    @Test func `two processes share one count`() {
        let (one, two) = (ledger(), ledger())
        one.add(DiskUsage(bytes: 4_096, files: 1), to: .fan(3))
        two.add(DiskUsage(bytes: 8_192, files: 2), to: .fan(255))
        two.add(DiskUsage(bytes: -4_096, files: -1), to: .fan(3))
        #expect(one.counts.total == DiskUsage(bytes: 8_192, files: 2))
        #expect(two.counts == one.counts)
    }

    @Test func `only what is admitted is added`() {
        let ledger = ledger()
        ledger.add(DiskUsage(bytes: 100, files: 1), to: .fan(0))
        let (before, isAdded) = ledger.add(DiskUsage(bytes: 1, files: 1), to: .fan(0)) {
            $0.bytes < 100
        }
        #expect(before.bytes == 100)
        #expect(!isAdded)
        #expect(ledger.counts.total.bytes == 100)
    }

    @Test func `a process that was stopped while it has the lock stops no other`() throws {
        let ledger = ledger()
        ledger.add(DiskUsage(bytes: 100, files: 10), to: .fan(0))
        let stopped = try SharedFile(layout.shared)
        #expect(stopped.lock(SharedPage.ledger, waiting: false) == true)
        // A write is refused; what is gone is taken out later.
        #expect(!ledger.add(DiskUsage(bytes: 5, files: 1), to: .fan(1)) { _ in true }.isAdded)
        #expect(ledger.isHeld)
        #expect(ledger.add(DiskUsage(bytes: -40, files: -4), to: .fan(0)).isAdded)
        #expect(ledger.counts.total == DiskUsage(bytes: 100, files: 10))
        stopped.unlock(SharedPage.ledger)
        #expect(ledger.add(DiskUsage(bytes: 5, files: 1), to: .fan(1)) { _ in true }.isAdded)
        #expect(ledger.counts.total == DiskUsage(bytes: 65, files: 7))
        #expect(!ledger.isHeld)
        #expect(self.ledger().counts.total == DiskUsage(bytes: 65, files: 7))
    }

    @Test func `many threads lose no count`() async {
        let ledgers = [ledger(), ledger()]
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<50 {
                        ledgers[task % 2].add(
                            DiskUsage(bytes: 1, files: 1), to: .fan((task + number) % 4))
                    }
                }
            }
        }
        #expect(ledgers[0].counts.total == DiskUsage(bytes: 400, files: 400))
    }

    @Test func `a count doesn't replace what changed meanwhile`() {
        let ledger = ledger()
        let version = ledger.counts.version(of: .fan(1))
        ledger.add(DiskUsage(bytes: 5, files: 1), to: .fan(1))
        #expect(!ledger.set(.fan(1), to: DiskUsage(bytes: 99, files: 9), since: version))
        #expect(ledger.counts.usage(of: .fan(1)) == DiskUsage(bytes: 5, files: 1))
        let now = ledger.counts.version(of: .fan(1))
        #expect(ledger.set(.fan(1), to: DiskUsage(bytes: 99, files: 9), since: now))
        #expect(ledger.counts.usage(of: .fan(1)) == DiskUsage(bytes: 99, files: 9))
    }

    @Test func `a removed file is made again, and everything has to be counted`() throws {
        let ledger = ledger()
        ledger.add(DiskUsage(bytes: 5, files: 1), to: .fan(1))
        try FileManager.default.removeItem(atPath: layout.shared)
        #expect(ledger.counts.uncounted.count == 258)
        ledger.set(.fan(1), to: DiskUsage(bytes: 5, files: 1))
        #expect(self.ledger().counts.usage(of: .fan(1)) == DiskUsage(bytes: 5, files: 1))
    }

    @Test func `damaged records have to be counted, and the others are believed`() throws {
        let ledger = ledger()
        ledger.add(DiskUsage(bytes: 4_096, files: 1), to: .fan(1))
        var bytes = try Array(Data(contentsOf: URL(fileURLWithPath: layout.shared)))
        bytes[SharedPage.ledger.offset + 2 * 32] ^= 1
        try Data(bytes).write(to: URL(fileURLWithPath: layout.shared))
        #expect(ledger.counts.uncounted == [.fan(2)])
        #expect(ledger.counts.usage(of: .fan(1))?.bytes == 4_096)
        ledger.add(DiskUsage(bytes: 7, files: 1), to: .fan(2))
        #expect(ledger.counts.uncounted == [.fan(2)])
        ledger.set(.fan(2), to: DiskUsage())
        #expect(ledger.counts.uncounted.isEmpty)
    }

    @Test func `a cut file has to be counted, and takes new counts`() throws {
        let ledger = ledger()
        ledger.add(DiskUsage(bytes: 5, files: 1), to: .fan(200))
        truncate(layout.shared, off_t(SharedPage.ledger.offset + 100))
        #expect(ledger.counts.usage(of: .fan(0)) == DiskUsage())
        #expect(ledger.counts.uncounted.contains(.fan(200)))
        ledger.set(.fan(200), to: DiskUsage(bytes: 5, files: 1))
        #expect(ledger.counts.usage(of: .fan(200)) == DiskUsage(bytes: 5, files: 1))
    }

    @Test func `directories that are not counted are estimated from the others`() {
        let ledger = ledger(isNew: false)
        #expect(ledger.counts.total == DiskUsage())
        ledger.set(.fan(0), to: DiskUsage(bytes: 1_000, files: 10))
        ledger.set(.fan(1), to: DiskUsage(bytes: 3_000, files: 30))
        #expect(ledger.counts.total == DiskUsage(bytes: 512_000, files: 5_120))
    }

    @Test func `any content of the file is read`() {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<200 {
            let bytes = random.bytes(Int.random(in: 0...9_000, using: &random))
            let counts = LedgerCounts(bytes: bytes)
            #expect(counts.total == DiskUsage())
        }
        var counts = LedgerCounts.empty(1)
        for _ in 0..<3 {
            for place in CountedPlace.all {
                counts.add(DiskUsage(bytes: 1 << 60, files: 1 << 60), to: place)
            }
        }
        #expect(counts.total.bytes > 0)
        for place in CountedPlace.all {
            counts.add(DiskUsage(bytes: -(1 << 60), files: -(1 << 60)), to: place)
        }
        #expect(counts.total == DiskUsage())
        #expect(LedgerCounts(bytes: counts.bytes) == counts)
    }

    @Test func `after a start of the machine each directory is to be counted again, once`() {
        let first = Ledger(layout, isNew: true, boot: 1)
        first.add(DiskUsage(bytes: 5, files: 1), to: .fan(1))
        #expect(first.unconfirmed.isEmpty)
        let second = Ledger(layout, isNew: false, boot: 2)
        #expect(second.unconfirmed == Array(0..<256))
        // Until then the counts are believed.
        #expect(second.counts.usage(of: .fan(1))?.bytes == 5)
        for fan in [0, 63, 64, 255] { second.set(.fan(fan), to: DiskUsage()) }
        let left = (0..<256).filter { ![0, 63, 64, 255].contains($0) }
        #expect(Ledger(layout, isNew: false, boot: 2).unconfirmed == left)
        #expect(Ledger(layout, isNew: false, boot: 3).unconfirmed.count == 256)
    }

    @Test func `a file that is replaced by another is not used any more`() throws {
        let ledger = ledger()
        ledger.add(DiskUsage(bytes: 5, files: 1), to: .fan(1))
        #expect(rename(layout.shared, layout.shared + ".moved") == 0)
        try scratch.write([1], to: "v2/shared")
        #expect(ledger.counts.uncounted.count == CountedPlace.all.count)
        ledger.set(.fan(1), to: DiskUsage(bytes: 7, files: 1))
        let stored = try Data(contentsOf: URL(fileURLWithPath: layout.shared))
        #expect(
            LedgerCounts(bytes: Array(stored.dropFirst(SharedPage.ledger.offset))).usage(
                of: .fan(1))?.bytes == 7)
    }
}
