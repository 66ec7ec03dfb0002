import DequeModule
import Dispatch
import Glibc
import Memory
import Synchronization

/// A few threads for blocking calls, so that Swift's own threads never wait for a disk. Work runs
/// in the order of arrival, even if its task is canceled.
final class IOThreads: Sendable {
    /// Reads mostly need the processor for hashing and on a cold disk wait for the disk, so there
    /// are more threads than cores, up to a limit.
    static let defaultCount = min(max(4, 2 * MachineProcessors.count()), 32)

    let count: Int
    private let queue = Queue()

    init(count: Int = defaultCount) {
        var started = 0
        for _ in 0..<count where Self.start(queue) { started += 1 }
        // Without a single thread the process is useless.
        precondition(started > 0, "no thread could be started: \(Errno(errno).reason)")
        self.count = started
    }

    deinit { queue.finish(threads: count) }

    /// Runs the work on one of the threads and suspends the caller until it is done.
    func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            queue.add {
                do throws(Failure) {
                    continuation.resume(returning: .success(try work()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// Runs the work on one of the threads, without a caller that waits.
    func start(_ work: @escaping @Sendable () -> Void) { queue.add(work) }

    private static func start(_ queue: Queue) -> Bool {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(queue)
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Queue>.fromOpaque(context).takeRetainedValue().drain()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    /// Outlives its pool until the threads have left.
    private final class Queue: Sendable {
        private enum Entry {
            case work(@Sendable () -> Void)
            case end
        }

        private let entries = Mutex(Deque<Entry>())
        private let available = DispatchSemaphore(value: 0)

        func add(_ work: @escaping @Sendable () -> Void) {
            entries.withLock { $0.append(.work(work)) }
            available.signal()
        }

        func finish(threads: Int) {
            entries.withLock { entries in
                for _ in 0..<threads { entries.append(.end) }
            }
            for _ in 0..<threads { available.signal() }
        }

        func drain() {
            while true {
                available.wait()
                guard case .work(let work) = entries.withLock({ $0.popFirst() }) else { return }
                work()
            }
        }
    }
}
