import Foundation
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(1)))
struct PurgeCountTests {
    let scratch: StoreScratch
    let layout: StoreLayout

    init() throws {
        scratch = try StoreScratch()
        layout = try StoreLayout(opening: scratch.path)
    }

    @Test func `a process notices each purge of another one once, and none of its own`() async {
        let (one, two) = (PurgeCount(layout), PurgeCount(layout))
        #expect(await !two.hasGrown())
        for _ in 0..<300 {
            await one.add()
            #expect(await !one.hasGrown())
            #expect(await two.hasGrown())
            #expect(await !two.hasGrown())
        }
    }

    @Test func `a purge of its own doesn't hide an earlier one of another process`() async {
        let (one, two) = (PurgeCount(layout), PurgeCount(layout))
        await one.add()
        await two.add()
        #expect(await one.hasGrown())
        #expect(await two.hasGrown())
    }

    @Test func `purges before the start are not noticed, those with a new file are`() async throws {
        await PurgeCount(layout).add()
        let count = PurgeCount(layout)
        #expect(await !count.hasGrown())
        for bytes in [0, 3, 70] {
            try Data(repeating: 9, count: bytes).write(to: URL(fileURLWithPath: layout.shared))
            await PurgeCount(layout).add()
            #expect(await count.hasGrown())
        }
    }

    @Test func `a file that can't be opened stops no purge`() async throws {
        try FileManager.default.createDirectory(
            atPath: layout.shared, withIntermediateDirectories: false)
        let count = PurgeCount(layout)
        await count.add()
        #expect(await !count.hasGrown())
    }
}
