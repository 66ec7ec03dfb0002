import Testing

@testable import Store

@Suite(.timeLimit(.minutes(1)))
struct IOThreadsTests {
    @Test func `blocking work runs on other threads and returns its result or error`() async throws
    {
        let threads = IOThreads(count: 2)
        #expect(await threads.run { 7 } == 7)
        await #expect(throws: StoreError.stopped) {
            try await threads.run { () throws(StoreError) -> Int in throw .stopped }
        }
    }

    @Test func `as many calls run at the same time as there are threads`() async throws {
        let threads = IOThreads(count: 3)
        let meeting = Meeting()
        await withTaskGroup { group in
            for _ in 0..<30 {
                group.addTask { await threads.run { meeting.attend(first: 3) } }
            }
            await group.waitForAll()
        }
        #expect(meeting.shortfall == nil)
        #expect(meeting.most == 3)
    }

    @Test func `the work of a canceled task is finished`() async throws {
        let threads = IOThreads(count: 1)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await threads.run { 5 }
        }
        #expect(await task.value == 5)
    }
}
