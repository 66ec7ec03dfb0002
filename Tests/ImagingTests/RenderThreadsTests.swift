import Dispatch
import Synchronization
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(5))) struct RenderThreadsTests {
    /// Work that holds a thread until it is let go.
    private final class Holding: Sendable {
        private let gate = DispatchSemaphore(value: 0)
        private let task = Mutex<Task<Result<Int, ImagingError>, Never>?>(nil)

        /// Returns when the work has started.
        init(_ threads: RenderThreads) async {
            let gate = gate
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            let running = Task {
                await Result.of { () throws(ImagingError) in
                    try await threads.run { (_) throws(ImagingError) in
                        start.finish()
                        gate.wait()
                        return 1
                    }
                }
            }
            task.withLock { $0 = running }
            for await _ in started {}
        }

        func cancel() { task.withLock { $0?.cancel() } }

        func letGo() async -> Result<Int, ImagingError>? {
            gate.signal()
            return await task.withLock { $0 }?.value
        }
    }

    private func threads(_ count: Int, queueLimit: Int = 100) throws -> RenderThreads {
        try RenderThreads(count: count, queueLimit: queueLimit) {}
    }

    @Test func `runs as many at a time as there are threads, and the rest after them`() async throws
    {
        let threads = try threads(2)
        let (one, two) = (await Holding(threads), await Holding(threads))
        let waiting = Task { try await threads.run { (queued) throws(ImagingError) in queued } }
        #expect(await one.letGo() == .success(1))
        #expect(try await waiting.value > .zero)
        #expect(await two.letGo() == .success(1))
        await threads.shutdown()
    }

    @Test func `refuses one more than may wait`() async throws {
        let threads = try threads(1, queueLimit: 0)
        let holding = await Holding(threads)
        await #expect(throws: ImagingError.overloaded) {
            try await threads.run { (_) throws(ImagingError) in 0 }
        }
        #expect(await holding.letGo() == .success(1))
        #expect(try await threads.run { (_) throws(ImagingError) in 2 } == 2)
        await threads.shutdown()
    }

    @Test(arguments: [false, true])
    func `cancelling takes work out of the queue`(isCancelledBefore: Bool) async throws {
        let threads = try threads(1)
        let holding = await Holding(threads)
        let hasRun = Mutex(false)
        let waiting = Task {
            while isCancelledBefore, !Task.isCancelled { await Task.yield() }
            try await threads.run { (_) throws(ImagingError) in hasRun.withLock { $0 = true } }
        }
        waiting.cancel()
        #expect(await holding.letGo() == .success(1))
        await #expect(throws: ImagingError.cancelled) { try await waiting.value }
        await threads.shutdown()
        #expect(!hasRun.withLock { $0 })
    }

    @Test func `what has started finishes though it is cancelled`() async throws {
        let threads = try threads(1)
        let holding = await Holding(threads)
        holding.cancel()
        #expect(await holding.letGo() == .success(1))
        await threads.shutdown()
    }

    @Test func `errors come out as they are`() async throws {
        let threads = try threads(1)
        await #expect(throws: ImagingError.broken(reason: "x")) {
            try await threads.run { (_) throws(ImagingError) -> Int in throw .broken(reason: "x") }
        }
        await threads.shutdown()
    }

    @Test func `shutting down refuses what waits, finishes what runs and ends the threads`()
        async throws
    {
        let ended = Mutex(0)
        let threads = try RenderThreads(count: 3, queueLimit: 9) { ended.withLock { $0 += 1 } }
        var holding: [Holding] = []
        for _ in 0..<3 { holding.append(await Holding(threads)) }
        let waiting = Task { try await threads.run { (_) throws(ImagingError) in 0 } }
        let shutdown = Task { await threads.shutdown() }
        await #expect(throws: ImagingError.stopped) { try await waiting.value }
        for held in holding { #expect(await held.letGo() == .success(1)) }
        await shutdown.value
        await threads.shutdown()
        #expect(ended.withLock { $0 } == 3)
        await #expect(throws: ImagingError.stopped) {
            try await threads.run { (_) throws(ImagingError) in 0 }
        }
    }
}

extension Result where Failure == ImagingError {
    fileprivate static func of(
        _ body: () async throws(ImagingError) -> Success
    ) async -> Result {
        do throws(ImagingError) {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}
