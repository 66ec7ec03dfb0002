import Dispatch
import Glibc
import Synchronization

/// A few threads for calls that block, so that Swift's own threads never wait for a server.
final class CallThreads: Sendable {
    private let work = Mutex<[@Sendable () -> Void]>([])
    private let available = DispatchSemaphore(value: 0)

    /// The threads live as long as the process that needs a queue.
    init(count: Int) {
        for _ in 0..<count {
            var thread = pthread_t()
            let context = Unmanaged.passRetained(self)
            let code = pthread_create(
                &thread, nil,
                { context in
                    guard let context else { return nil }
                    Unmanaged<CallThreads>.fromOpaque(context).takeRetainedValue().serve()
                    return nil
                }, context.toOpaque())
            precondition(code == 0, "no thread could be started: \(code)")
            pthread_detach(thread)
        }
    }

    private func serve() {
        while true {
            available.wait()
            let next = work.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            guard let next else { return }
            next()
        }
    }

    /// Ends as many threads. Work that is queued before is done.
    func end(_ count: Int) {
        for _ in 0..<count { available.signal() }
    }

    /// Runs the call on one of the threads and suspends the caller until it has returned.
    func run<Value: Sendable, Failure: Error>(
        _ call: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            add {
                do throws(Failure) {
                    continuation.resume(returning: .success(try call()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// Does the same, and returns at once when the task is canceled. The call
    /// ends later, and `abandon` gets its result.
    func run<Value: Sendable>(
        _ call: @escaping @Sendable () throws -> Value,
        abandon: @escaping @Sendable (Value) -> Void
    ) async throws -> Value {
        let waiter = Waiter<Value>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard waiter.begin(continuation) else {
                    return continuation.resume(throwing: CancellationError())
                }
                add {
                    let result = Result { try call() }
                    if let continuation = waiter.end() {
                        continuation.resume(with: result)
                    } else if case .success(let value) = result {
                        abandon(value)
                    }
                }
            }
        } onCancel: {
            waiter.cancel()?.resume(throwing: CancellationError())
        }
    }

    private func add(_ call: @escaping @Sendable () -> Void) {
        work.withLock { $0.append(call) }
        available.signal()
    }

    private final class Waiter<Value: Sendable>: Sendable {
        private struct State {
            var continuation: CheckedContinuation<Value, any Error>?
            var isCanceled = false
        }

        private let state = Mutex(State())

        /// Returns false if the task was canceled before.
        func begin(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
            state.withLock { state in
                if state.isCanceled { return false }
                state.continuation = continuation
                return true
            }
        }

        func end() -> CheckedContinuation<Value, any Error>? {
            state.withLock { $0.continuation.take() }
        }

        func cancel() -> CheckedContinuation<Value, any Error>? {
            state.withLock { state in
                state.isCanceled = true
                return state.continuation.take()
            }
        }
    }
}
