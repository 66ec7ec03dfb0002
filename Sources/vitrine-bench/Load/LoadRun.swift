import CLinux
import CLoad
import CoreFoundation
import Glibc
import Memory
import Threads

extension LoadPlan {
    /// Makes the load on a thread of its own and returns what came of it.
    ///
    /// - Parameter clock: nanoseconds that never go back.
    /// - Throws: ``LoadError``; `.stopped` if the task is canceled.
    func run(
        clock: @escaping @Sendable () -> UInt64 = Self.nanoseconds
    ) async throws(LoadError) -> LoadOutcome {
        // Descriptors for the loop itself, the program's own files, and children's pipes.
        let needed = connections + 64
        let limit = OpenFileLimit.current
        guard limit >= needed else { throw .tooManyFiles(limit: limit) }
        let stops = Counter()
        let result: Result<LoadOutcome, LoadError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                do throws(SystemThread.Refusal) {
                    try SystemThread.start("bench-load") {
                        continuation.resume(returning: self.measure(clock) { stops.value > 0 })
                    }
                } catch {
                    continuation.resume(
                        returning: .failure(.system(call: "pthread_create", code: error.code)))
                }
            }
        } onCancel: {
            stops.add()
        }
        return try result.get()
    }

    /// Makes the load on the calling thread, which it binds to ``processor``.
    private func measure(
        _ clock: @escaping () -> UInt64, _ isStopping: @escaping () -> Bool
    ) -> Result<LoadOutcome, LoadError> {
        if let processor { Processors([processor]).bindThisThread() }
        load_exact_timers()
        // On a busy machine the generator would measure its own delays.
        _ = vitrine_run_soon()
        if goesFirst { load_go_first() }
        do throws(LoadError) {
            let loop = try LoadLoop(self, clock: clock, isStopping: isStopping)
            return .success(try loop.run())
        } catch {
            return .failure(error)
        }
    }

    /// The monotonic clock.
    @Sendable static func nanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
