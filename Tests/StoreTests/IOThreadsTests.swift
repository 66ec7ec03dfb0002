import Dispatch
import FoundationEssentials
import Glibc
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(1)))
struct IOThreadsTests {
    @Test func `blocking work runs on other threads and returns its result or error`() async throws
    {
        let threads = IOThreads("test", count: 2)
        #expect(await threads.run { 7 } == 7)
        let name = try await threads.run {
            try String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        }
        #expect(name == "test\n")
        await #expect(throws: StoreError.stopped) {
            try await threads.run { () throws(StoreError) -> Int in throw .stopped }
        }
    }

    @Test func `as many calls run at the same time as there are threads`() async throws {
        let threads = IOThreads("test", count: 3)
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

    @Test func `a task that prefers the threads does its blocking work without leaving its own`()
        async throws
    {
        let (threads, others) = (IOThreads("test", count: 2), IOThreads("test", count: 2))
        let task = Task(executorPreference: threads) {
            let own = pthread_self()
            let isSame = await others.run { pthread_self() == own }
            return (IOThreads.mayBlock(), isSame)
        }
        #expect(await task.value == (true, true))
        #expect(!IOThreads.mayBlock())
    }

    @Test func `a single thread keeps its work in order, whoever the caller is`() async throws {
        let (threads, single) = (IOThreads("test", count: 2), IOThreads("test", count: 1))
        let task = Task(executorPreference: threads) {
            let own = pthread_self()
            return await single.run { pthread_self() == own }
        }
        #expect(await !task.value)
    }

    @Test func `what a task has started does not wait while it blocks`() async throws {
        let threads = IOThreads("test", count: 2)
        let task = Task(executorPreference: threads) {
            let started = DispatchSemaphore(value: 0)
            let other = Task(executorPreference: threads) { _ = started.signal() }
            // Ends only if the other thread runs the other task.
            await threads.run { started.wait() }
            await other.value
        }
        await task.value
    }

    @Test func `a task goes on after its threads have lost their last other reference`()
        async throws
    {
        let task = Task(executorPreference: IOThreads("test", count: 2)) {
            await Task.yield()
            return IOThreads.mayBlock()
        }
        #expect(await task.value)
    }

    @Test func `the work of a canceled task is finished`() async throws {
        let threads = IOThreads("test", count: 1)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await threads.run { 5 }
        }
        #expect(await task.value == 5)
    }
}
