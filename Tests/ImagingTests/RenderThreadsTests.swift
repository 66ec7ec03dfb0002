import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import Imaging

private let small = RenderCost(drawing: 1)

@Suite(.timeLimit(.minutes(1))) struct RenderThreadsTests {
    /// Work that holds a thread until it is released.
    private final class Holding: Sendable {
        private let gate = DispatchSemaphore(value: 0)
        private let task = Mutex<Task<Result<Int, ImagingError>, Never>?>(nil)

        /// Returns when the work has started.
        init(_ threads: RenderThreads, _ cost: RenderCost = small) async {
            let gate = gate
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            let running = Task {
                await Result.of { () throws(ImagingError) in
                    try await threads.run(cost) { (_) throws(ImagingError) in
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

        func open() { gate.signal() }

        func answer() async -> Result<Int, ImagingError>? { await task.withLock { $0 }?.value }

        func release() async -> Result<Int, ImagingError>? {
            open()
            return await answer()
        }
    }

    private func threads(
        _ count: Int, queueLimit: Int = 100, deadline: Duration = .seconds(1_000),
        memory: Int = 512 << 20, threadEnds: @escaping @Sendable () -> Void = {}
    ) throws -> RenderThreads {
        var policy = RenderPolicy(threads: count)
        policy.memory = memory
        policy.queueLimit = queueLimit
        policy.deadline = deadline
        policy.grace = .zero
        return try RenderThreads(policy, threadEnds: threadEnds)
    }

    @Test func `as many renders run at a time as there are threads, and the rest follow`()
        async throws
    {
        let threads = try threads(2)
        let (one, two) = (await Holding(threads), await Holding(threads))
        let waiting = Task {
            try await threads.run(small) { (turn) throws(ImagingError) in turn.queued }
        }
        #expect(await one.release() == .success(1))
        #expect(try await waiting.value > .zero)
        #expect(await two.release() == .success(1))
        await threads.shutdown()
    }

    @Test(arguments: [false, true])
    func `canceling removes a render from the queue`(isCancelledBefore: Bool) async throws {
        let threads = try threads(1)
        let holding = await Holding(threads)
        let hasRun = Mutex(false)
        let waiting = Task {
            if isCancelledBefore { await untilCanceled() }
            try await threads.run(small) { (_) throws(ImagingError) in hasRun.withLock { $0 = true }
            }
        }
        waiting.cancel()
        #expect(await holding.release() == .success(1))
        await #expect(throws: ImagingError.canceled) { try await waiting.value }
        await threads.shutdown()
        #expect(!hasRun.withLock { $0 })
    }

    @Test func `a started render finishes although its caller is canceled`() async throws {
        let threads = try threads(1)
        let holding = await Holding(threads)
        holding.cancel()
        #expect(await holding.release() == .success(1))
        await threads.shutdown()
    }

    @Test func `shutdown refuses queued renders, finishes running ones and ends the threads`()
        async throws
    {
        let ended = Mutex(0)
        let threads = try threads(3) { ended.withLock { $0 += 1 } }
        var holding: [Holding] = []
        for _ in 0..<3 { holding.append(await Holding(threads)) }
        let waiting = Task { try await threads.run(small) { (_) throws(ImagingError) in 0 } }
        let shutdown = Task { await threads.shutdown() }
        await #expect(throws: ImagingError.stopped) { try await waiting.value }
        for held in holding { #expect(await held.release() == .success(1)) }
        await shutdown.value
        await threads.shutdown()
        // Three per lane.
        #expect(ended.withLock { $0 } == 6)
        await #expect(throws: ImagingError.stopped) {
            try await threads.run(small) { (_) throws(ImagingError) in 0 }
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
