import Dispatch
import FoundationEssentials
import Glibc
import TestSupport
import Testing
import Threads

@Suite(.timeLimit(.minutes(1))) struct ThreadPoolTests {
    private struct Refused: Error {}

    @Test func `blocking work runs on other threads and returns its result or error`() async throws
    {
        let threads = ThreadPool("test", count: 2)
        #expect(await threads.run { 7 } == 7)
        let name = try await threads.run {
            try String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        }
        #expect(name == "test\n")
        await #expect(throws: Refused.self) {
            try await threads.run { () throws(Refused) -> Int in throw Refused() }
        }
    }

    /// Counts its release, which takes as long as reading a file.
    private final class Held: Sendable {
        let released: Counter

        init(_ released: Counter) { self.released = released }

        deinit {
            // What it reads doesn't matter.
            _ = try? String(contentsOfFile: "/proc/self/smaps", encoding: .utf8)
            released.add(1)
        }
    }

    @Test(arguments: [true, false])
    func `what a call held is released before its caller continues`(ofPool: Bool) async {
        let (threads, released) = (ThreadPool("test", count: 2), Counter())
        for round in 1...100 {
            if ofPool {
                await threads.run { [held = Held(released)] in withExtendedLifetime(held) {} }
            } else {
                await FileThreads.run { [held = Held(released)] in withExtendedLifetime(held) {} }
            }
            #expect(released.value == round)
        }
    }

    @Test func `as many calls run at the same time as there are threads`() async throws {
        let threads = ThreadPool("test", count: 3)
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
        let (threads, others) = (ThreadPool("test", count: 2), ThreadPool("test", count: 2))
        let task = Task(executorPreference: threads) {
            let own = pthread_self()
            let isSame = await others.run { pthread_self() == own }
            return (ThreadPool.prepareToBlock(), isSame)
        }
        #expect(await task.value == (true, true))
        #expect(!ThreadPool.prepareToBlock())
    }

    @Test func `work that waits for a server leaves the caller's thread`() async throws {
        let threads = ThreadPool("test", count: 2)
        let servers = ThreadPool("test", count: 2, .forServer)
        let task = Task(executorPreference: threads) {
            let own = pthread_self()
            return await servers.run { pthread_self() == own }
        }
        #expect(await !task.value)
    }

    @Test func `a canceled caller leaves a call that hangs, whose result is given up later`()
        async throws
    {
        let threads = ThreadPool("test", count: 1, .forServer)
        let (begun, end, left) = (Gate(), DispatchSemaphore(value: 0), Latch<Int>())
        let task = Task {
            try await threads.run {
                begun.open()
                end.wait()
                return 5
            } abandon: {
                left.set($0)
            }
        }
        await begun.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        end.signal()
        #expect(await left.value() == 5)
    }

    @Test func `a single thread keeps its work in order, whichever caller it has`() async throws {
        let (threads, single) = (ThreadPool("test", count: 2), ThreadPool("test", count: 1))
        let task = Task(executorPreference: threads) {
            let own = pthread_self()
            return await single.run { pthread_self() == own }
        }
        #expect(await !task.value)
    }

    @Test func `what a task has started does not wait while it blocks`() async throws {
        let threads = ThreadPool("test", count: 2)
        let task = Task(executorPreference: threads) {
            let started = DispatchSemaphore(value: 0)
            let other = Task(executorPreference: threads) { _ = started.signal() }
            // Ends only if the other thread runs the other task.
            await threads.run { started.wait() }
            await other.value
        }
        await task.value
    }

    @Test func `a task continues after its threads have lost their last other reference`()
        async throws
    {
        let task = Task(executorPreference: ThreadPool("test", count: 2)) {
            // Leaves its thread, and comes back from another one.
            try await blocking {}
            return ThreadPool.prepareToBlock()
        }
        #expect(try await task.value)
    }

    @Test func `the work of a canceled task is finished`() async throws {
        let threads = ThreadPool("test", count: 1)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await threads.run { 5 }
        }
        #expect(await task.value == 5)
    }
}
