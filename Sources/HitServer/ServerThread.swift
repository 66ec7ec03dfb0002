import CLinux
import Glibc
import Synchronization

/// A thread that accepts connections and answers hits on them. Everything that takes more than a
/// read, a look-up and a send is handed over to the general server with its connection.
///
/// A channel of an event loop costs as much per connection as all the kernel's work for it, and half
/// as much per request.
package final class HitThread: Sendable {
    private enum Life {
        case running([CheckedContinuation<SystemError?, Never>])
        case ended(SystemError?)
    }

    private let wake: CInt
    /// 0 while it runs.
    private let ending = Atomic(0)
    private let life = Mutex(Life.running([]))
    /// Connections that came back from the general server; nil once the thread takes none.
    private let returned = Mutex<[ReturnedConnection]?>([])

    package init() throws(SystemError) {
        wake = vitrine_eventfd()
        guard wake >= 0 else { throw SystemError("eventfd", errno) }
    }

    deinit { if wake >= 0 { close(wake) } }

    /// Starts the thread. It accepts connections of `listener`, which stays the caller's, until it
    /// is stopped or fails.
    ///
    /// - Parameter onFailure: called on the thread if it ends without being stopped.
    package func start(
        listener: CInt, _ source: any HitSource, _ context: HitContext,
        onFailure: @escaping @Sendable (SystemError) -> Void = { _ in }
    ) throws(SystemError) {
        try start(onFailure) { [self] () throws(SystemError) in
            try HitLoop(
                listener: listener, wake: wake, HitLookup(source, sendsFiles: true), context,
                // Keeps this thread's descriptor open until the last read has ended.
                ParkedReads { [self] in rouse() },
                takeReturned: { [self] in takeReturned(isLast: false) })
        }
    }

    /// Runs the loop that `make` returns. `make` is called on the new thread.
    func start(
        _ onFailure: @escaping @Sendable (SystemError) -> Void,
        _ make: @escaping @Sendable () throws(SystemError) -> HitLoop
    ) throws(SystemError) {
        let work = Work { [self] in
            var failure: SystemError?
            do throws(SystemError) {
                var loop = try make()
                try loop.run { HitLoop.End(rawValue: ending.load(ordering: .acquiring)) }
            } catch {
                failure = error
            }
            for connection in takeReturned(isLast: true) { close(connection.socket) }
            end(failure)
            if let failure { onFailure(failure) }
        }
        let context = Unmanaged.passRetained(work)
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                vitrine_name_this_thread("vitrine-hits")
                // Dispatch gives the thread that starts this one a niceness of its own. This resets
                // it to the process's, where that is permitted.
                let one = __priority_which_t(PRIO_PROCESS.rawValue)
                _ = setpriority(one, 0, getpriority(one, id_t(getpid())))
                Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            let error = SystemError("pthread_create", code)
            end(error)
            throw error
        }
        pthread_detach(thread)
    }

    private func end(_ failure: SystemError?) {
        let waiting: [CheckedContinuation<SystemError?, Never>] = life.withLock { life in
            defer { life = .ended(failure) }
            guard case .running(let waiting) = life else { return [] }
            return waiting
        }
        for one in waiting { one.resume(returning: failure) }
    }

    /// Waits until the thread has ended. Returns the cause if it was not stopped.
    package func ended() async -> SystemError? {
        await withCheckedContinuation { continuation in
            let outcome: SystemError?? = life.withLock { life in
                switch life {
                case .ended(let failure): return .some(failure)
                case .running(let waiting):
                    life = .running(waiting + [continuation])
                    return nil
                }
            }
            if let outcome { continuation.resume(returning: outcome) }
        }
    }

    /// Tells the thread to finish the responses under way, to close its connections, and to end.
    /// Idempotent.
    package func stop() { stop(.afterResponses) }

    /// Tells the thread to close its connections at once, and to end.
    package func abort() { stop(.atOnce) }

    private func stop(_ end: HitLoop.End) {
        ending.max(end.rawValue, ordering: .acquiringAndReleasing)
        rouse()
    }

    /// Adopts a connection that is between two requests. Any thread.
    package func adopt(_ connection: ReturnedConnection) {
        let isTaken = returned.withLock { returned in
            returned?.append(connection)
            return returned != nil
        }
        if isTaken { rouse() } else { close(connection.socket) }
    }

    /// Returns the connections that came back since the last call. The caller owns them.
    private func takeReturned(isLast: Bool) -> [ReturnedConnection] {
        returned.withLock { returned in
            defer { returned = isLast ? nil : [] }
            return returned ?? []
        }
    }

    private func rouse() {
        var one: UInt64 = 1
        // Fails only if the counter is full, which wakes the thread as well.
        _ = write(wake, &one, MemoryLayout<UInt64>.size)
    }

    private final class Work: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
