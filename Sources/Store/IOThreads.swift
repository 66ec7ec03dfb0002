import CLinux
import DequeModule
import Dispatch
import Glibc
import Memory
import Synchronization

/// A few threads for blocking calls, so that Swift's own threads never wait for a disk. Work runs
/// in the order of arrival, even if its task is canceled.
///
/// A task that prefers these threads as its executor runs on one of them between two suspensions. It
/// does its blocking calls there, without changing threads for each.
final class IOThreads: TaskExecutor {
    /// Reads mostly need the processor for hashing and on a cold disk wait for the disk, so there
    /// are more threads than cores, up to a limit.
    static let defaultCount = min(max(4, 2 * MachineProcessors.count()), 32)

    let count: Int
    private let queue: Queue

    /// - Parameter name: at most 15 bytes, as debuggers and `top` show the threads.
    init(_ name: StaticString, count: Int = defaultCount) {
        queue = Queue(name)
        var started = 0
        for _ in 0..<count where Self.start(queue) { started += 1 }
        // Without a single thread the process is useless.
        precondition(started > 0, "no thread could be started: \(Errno(errno).reason)")
        self.count = started
    }

    deinit { queue.finish(threads: count) }

    /// Returns whether the calling thread is one of these, of any pool, and may block. Then other threads
    /// continue what its task has started, because that must not wait for the disk, too.
    static func mayBlock() -> Bool {
        guard let worker = Worker.current else { return false }
        worker.handOver()
        return true
    }

    /// Set to its ``Worker`` on each of the threads.
    private static let mark: pthread_key_t = {
        var key = pthread_key_t()
        let code = pthread_key_create(&key, nil)
        precondition(code == 0, "no thread can be marked: \(Errno(code).reason)")
        return key
    }()

    /// Runs the work on one of the threads and suspends the caller until it is done. A caller on an I/O
    /// thread runs it there, unless this pool is a single thread, which keeps its work in order.
    func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        if count > 1, Self.mayBlock() { return try work() }
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

    /// Adds a part of a task. If the caller is one of the threads, it continues with that part itself when
    /// it has finished its own: mostly it only waits for it then.
    func enqueue(_ job: consuming ExecutorJob) {
        let (job, executor) = (UnownedJob(job), asUnownedTaskExecutor())
        let own = Worker.current.flatMap { $0.queue === queue ? $0 : nil }
        queue.add(for: own) { job.runSynchronously(on: executor) }
    }

    private static func start(_ queue: Queue) -> Bool {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(queue)
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                let worker = Worker(Unmanaged<Queue>.fromOpaque(context).takeRetainedValue())
                let name = worker.queue.name
                name.utf8Start.withMemoryRebound(
                    to: CChar.self, capacity: name.utf8CodeUnitCount + 1, vitrine_name_this_thread)
                pthread_setspecific(IOThreads.mark, Unmanaged.passUnretained(worker).toOpaque())
                worker.drain()
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

        /// Of the threads.
        let name: StaticString
        private let entries = Mutex(Deque<Entry>())
        private let available = DispatchSemaphore(value: 0)

        init(_ name: StaticString) { self.name = name }

        /// - Parameter worker: The calling thread, if it takes a piece of work next without being woken.
        func add(for worker: Worker? = nil, _ work: @escaping @Sendable () -> Void) {
            entries.withLock { $0.append(.work(work)) }
            if let worker { worker.owed += 1 } else { available.signal() }
        }

        func finish(threads: Int) {
            entries.withLock { entries in
                for _ in 0..<threads { entries.append(.end) }
            }
            for _ in 0..<threads { available.signal() }
        }

        func wait() { available.wait() }

        /// Wakes threads for that many pieces of work.
        func wake(_ count: Int) {
            for _ in 0..<count { available.signal() }
        }

        /// Returns the next piece of work; nil if the thread should end. One is there for each signal.
        func next() -> (@Sendable () -> Void)? {
            guard case .work(let work) = entries.withLock({ $0.popFirst() }) else { return nil }
            return work
        }
    }

    /// One of the threads; only that thread uses it.
    private final class Worker {
        let queue: Queue
        /// Pieces of work that were added without a signal.
        var owed = 0

        init(_ queue: Queue) { self.queue = queue }

        /// The calling thread, if it is one of these.
        static var current: Worker? {
            pthread_getspecific(mark).map { Unmanaged<Worker>.fromOpaque($0).takeUnretainedValue() }
        }

        /// Wakes other threads for what was added without a signal.
        func handOver() {
            queue.wake(owed)
            owed = 0
        }

        func drain() {
            while true {
                if owed == 0 { queue.wait() } else { owed -= 1 }
                guard let work = queue.next() else { return queue.wake(owed) }
                // The others are for other threads.
                handOver()
                work()
            }
        }
    }
}
