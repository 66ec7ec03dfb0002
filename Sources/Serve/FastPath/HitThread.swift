import CEpoll
import Glibc
import NIOCore
import Synchronization

/// A thread that accepts connections and answers hits on them, and nothing else: whatever takes more
/// than one read, one look-up and one send is handed over to an event loop with its connection.
///
/// A channel of an event loop costs as much for each connection as all that the kernel does for it,
/// and half as much for each request.
final class HitThread: Sendable {
    private let wake: CInt
    private let isStopping = Atomic(false)
    private let finished: EventLoopPromise<Void>
    /// Connections that come back from event loops; `nil` once the thread takes none any more.
    private let returned = Mutex<[CInt]?>([])

    /// `finished` succeeds when the thread has ended because it was stopped, and fails with the cause
    /// when it ended otherwise.
    init(finished: EventLoopPromise<Void>) throws(IOError) {
        wake = vitrine_eventfd()
        self.finished = finished
        guard wake >= 0 else {
            let code = errno
            let error = IOError(errnoCode: code, reason: "eventfd")
            finished.fail(error)
            throw error
        }
    }

    deinit { if wake >= 0 { close(wake) } }

    /// Runs the loop that `make` gives, on the thread that it belongs to.
    func start(_ make: @escaping @Sendable (_ wake: CInt) throws(IOError) -> HitLoop)
        throws(IOError)
    {
        let work = Work { [self] in
            var failure: IOError?
            do throws(IOError) {
                var loop = try make(wake)
                try loop.run { isStopping.load(ordering: .acquiring) }
            } catch {
                failure = error
            }
            for socket in takeReturned(isLast: true) { close(socket) }
            if let failure { finished.fail(failure) } else { finished.succeed() }
        }
        let context = Unmanaged.passRetained(work)
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                vitrine_name_this_thread("vitrine-hits")
                // Dispatch gives the thread that starts this one a niceness of its own; who runs the
                // service with another means it. Where that isn't permitted, it stays as it is.
                let one = __priority_which_t(PRIO_PROCESS.rawValue)
                _ = setpriority(one, 0, getpriority(one, id_t(getpid())))
                Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            let error = IOError(errnoCode: code, reason: "pthread_create")
            finished.fail(error)
            throw error
        }
        pthread_detach(thread)
    }

    /// When it ends; with the cause where it wasn't stopped.
    var ended: EventLoopFuture<Void> { finished.futureResult }

    /// Closes its connections, which are all between two requests, and ends. Idempotent.
    func stop() -> EventLoopFuture<Void> {
        isStopping.store(true, ordering: .releasing)
        rouse()
        return finished.futureResult
    }

    /// Takes a connection over that is between two requests. Any thread.
    func take(_ socket: CInt) {
        let isTaken = returned.withLock { returned in
            returned?.append(socket)
            return returned != nil
        }
        if isTaken { rouse() } else { close(socket) }
    }

    /// Those that came since the last call; the caller's from now on.
    func takeReturned(isLast: Bool) -> [CInt] {
        returned.withLock { returned in
            defer { returned = isLast ? nil : [] }
            return returned ?? []
        }
    }

    private func rouse() {
        var one: UInt64 = 1
        // A counter that is full wakes as well.
        _ = write(wake, &one, MemoryLayout<UInt64>.size)
    }

    private final class Work: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
