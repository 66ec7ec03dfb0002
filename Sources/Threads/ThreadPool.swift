import DequeModule
import Dispatch
import Glibc
import Synchronization

/// A few threads for blocking calls, so that Swift's own threads never wait for a disk or a server.
/// Work runs in the order of arrival, even if its task is canceled.
///
/// A task that prefers these threads as its executor runs on one of them between two suspensions. It
/// does its blocking calls there, without changing threads for each.
package final class ThreadPool: TaskExecutor {
    /// What its calls wait for.
    package enum Waits: Sendable {
        /// A disk, so that a caller on another pool's thread does the work there.
        case forDisk
        /// A server, which may take seconds.
        case forServer
    }

    package let count: Int
    private let waits: Waits
    private let queue: Queue

    /// - Parameter name: at most 15 bytes, as debuggers and `top` show the threads.
    package init(_ name: StaticString, count: Int, _ waits: Waits = .forDisk) {
        let queue = Queue()
        var (started, refusal) = (0, CInt(0))
        for _ in 0..<count {
            do throws(SystemThread.Refusal) {
                try SystemThread.start(name) { Worker(queue).run() }
                started += 1
            } catch {
                refusal = error.code
            }
        }
        // Without a single thread the process is useless.
        precondition(started > 0, "no thread could be started: errno \(refusal)")
        self.queue = queue
        self.waits = waits
        self.count = started
    }

    deinit { queue.finish(threads: count) }

    /// Lets other threads continue what the task of the calling thread has started, because that must not wait
    /// for the disk, too. Returns whether the thread is one of these, of any pool, and may block now.
    package static func prepareToBlock() -> Bool {
        guard let worker = Worker.current else { return false }
        worker.handOver()
        return true
    }

    /// Set to its ``Worker`` on each of the threads.
    private static let mark: pthread_key_t = {
        var key = pthread_key_t()
        let code = pthread_key_create(&key, nil)
        precondition(code == 0, "no thread can be marked: errno \(code)")
        return key
    }()

    /// Runs the work on one of the threads and suspends the caller until it is done. A caller on a thread
    /// of a pool runs it there if it waits for a disk, unless this pool is a single thread, which keeps
    /// its work in order.
    package func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        if waits == .forDisk, count > 1, Self.prepareToBlock() { return try work() }
        return try await elsewhere(work) { queue.add($0) }
    }

    /// Runs the call on one of the threads, and returns at once when the task is canceled. The call ends
    /// later, and `abandon` gets its result.
    package func run<Value: Sendable>(
        _ call: @escaping @Sendable () throws -> Value,
        abandon: @escaping @Sendable (Value) -> Void
    ) async throws -> Value {
        try Task.checkCancellation()
        let outcome = Latch<Result<Value, any Error>>()
        return try await withTaskCancellationHandler {
            queue.add {
                let result = Result { try call() }
                if !outcome.set(result), case .success(let value) = result { abandon(value) }
            }
            return try await outcome.value().get()
        } onCancel: {
            outcome.set(.failure(CancellationError()))
        }
    }

    /// Runs the work on one of the threads, without a caller that waits.
    package func start(_ work: @escaping @Sendable () -> Void) { queue.add(work) }

    /// Adds a part of a task. If the caller is one of the threads, it continues with that part itself when
    /// it has finished its own: mostly it only waits for it then.
    package func enqueue(_ job: consuming ExecutorJob) {
        let (job, executor) = (UnownedJob(job), asUnownedTaskExecutor())
        let own = Worker.current.flatMap { $0.queue === queue ? $0 : nil }
        queue.add(for: own) { job.runSynchronously(on: executor) }
    }

    /// Outlives its pool until the threads have left.
    private final class Queue: Sendable {
        private enum Entry {
            case work(@Sendable () -> Void)
            case end
        }

        private let entries = Mutex(Deque<Entry>())
        private let available = DispatchSemaphore(value: 0)

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
            let entry = entries.withLock { $0.popFirst() }
            assert(entry != nil, "a thread is woken for nothing")
            guard case .work(let work) = entry else { return nil }
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
            pthread_getspecific(ThreadPool.mark).map {
                Unmanaged<Worker>.fromOpaque($0).takeUnretainedValue()
            }
        }

        /// Wakes other threads for what was added without a signal.
        func handOver() {
            assert(owed >= 0, "more is taken than was added")
            queue.wake(owed)
            owed = 0
        }

        /// Does the queue's work until the pool ends.
        func run() {
            pthread_setspecific(ThreadPool.mark, Unmanaged.passUnretained(self).toOpaque())
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
