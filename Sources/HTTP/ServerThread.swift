import CLinux
import CNghttp2
import Glibc
import Synchronization
import Threads

/// A thread that accepts connections and answers their requests: hits by itself, others with the help of
/// tasks. Its work is a ``ServerLoop``.
package final class ServerThread: Sendable {
    private let wake: CInt
    /// 0 while it runs.
    private let ending = Atomic(0)
    /// The cause of the end.
    private let end = Latch<SystemError?>()
    private let endOfAccepting = Latch<Void>()

    /// The version of the nghttp2 that is loaded, such as 1.52.0.
    package static var http2LibraryVersion: String {
        String(cString: nghttp2_version(0).pointee.version_str)
    }

    package init() throws(SystemError) {
        wake = vitrine_eventfd()
        guard wake >= 0 else { throw SystemError("eventfd", errno) }
    }

    deinit { if wake >= 0 { close(wake) } }

    /// Starts the thread. It accepts connections of `listeners`, whose sockets stay the caller's, until
    /// it is stopped or fails.
    ///
    /// - Parameter onFailure: called on the thread if it ends without being stopped.
    package func start(
        _ listeners: [ServerListener], _ source: any HitSource, _ context: ServerContext,
        onFailure: @escaping @Sendable (SystemError) -> Void = { _ in }
    ) throws(SystemError) {
        try start(onFailure) { [self] () throws(SystemError) in
            try ServerLoop(
                listeners, wake: wake, HitLookup(source, sendsFiles: true), context,
                // Keeps this thread's descriptor open until the last sender has ended.
                Mailbox { [self] in rouse() })
        }
    }

    /// Runs the loop that `make` returns. `make` is called on the new thread.
    func start(
        _ onFailure: @escaping @Sendable (SystemError) -> Void,
        _ make: @escaping @Sendable () throws(SystemError) -> ServerLoop
    ) throws(SystemError) {
        let work: @Sendable () -> Void = { [self] in
            // Dispatch gives the thread that starts this one a niceness of its own. This resets
            // it to the process's, where that is permitted.
            let one = __priority_which_t(PRIO_PROCESS.rawValue)
            _ = setpriority(one, 0, getpriority(one, id_t(getpid())))
            // It runs before renders when a request arrives, as far as the kernel can do that.
            _ = vitrine_run_soon()
            var failure: SystemError?
            do throws(SystemError) {
                var loop = try make()
                try loop.run {
                    ServerLoop.End(rawValue: ending.load(ordering: .acquiring))
                } onStop: {
                    endOfAccepting.set(())
                }
            } catch {
                failure = error
            }
            endOfAccepting.set(())
            end.set(failure)
            if let failure { onFailure(failure) }
        }
        do {
            try SystemThread.start("vitrine-http", work)
        } catch {
            let error = SystemError("pthread_create", error.code)
            endOfAccepting.set(())
            end.set(error)
            throw error
        }
    }

    /// Waits until the thread has ended. Returns the cause if it was not stopped.
    package func ended() async -> SystemError? { await end.value() }

    /// Waits until a thread that is stopped no longer uses the sockets of its listeners.
    package func stoppedAccepting() async { await endOfAccepting.value() }

    /// Tells the thread to finish the responses under way, to close its connections, and to end.
    /// Idempotent.
    package func stop() { stop(.afterResponses) }

    /// Tells the thread to close its connections at once, and to end.
    package func abort() { stop(.atOnce) }

    private func stop(_ end: ServerLoop.End) {
        ending.max(end.rawValue, ordering: .acquiringAndReleasing)
        rouse()
    }

    private func rouse() {
        var one: UInt64 = 1
        // Fails only if the counter is full, which wakes the thread as well.
        _ = write(wake, &one, MemoryLayout<UInt64>.size)
    }
}
