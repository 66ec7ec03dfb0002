import CLinux
import Glibc

/// Starts threads of the system's own: for loops that wait for sockets, and for calls that block or keep
/// a processor busy.
package enum SystemThread {
    /// The system started no thread.
    package struct Refusal: Error {
        /// Of errno(3).
        package let code: CInt
        package var reason: String { String(cString: strerror(code)) }
    }

    /// Starts a detached thread that calls `body` once.
    ///
    /// - Parameters:
    ///   - name: at most 15 bytes, as debuggers and `top` show it.
    ///   - niceness: added to that of the calling thread. A refusal only changes the order of work.
    ///   - ended: called on the thread when `body` has returned and what it held is released.
    /// - Throws: ``Refusal``; then nothing is called.
    package static func start(
        _ name: StaticString, niceness: CInt = 0,
        ended: @escaping @Sendable () -> Void = {}, _ body: sending @escaping () -> Void
    ) throws(Refusal) {
        let work = Unmanaged.passRetained(Work(name, niceness, body, ended))
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, run, work.toOpaque())
        guard code == 0 else {
            work.release()
            throw Refusal(code: code)
        }
        pthread_detach(thread)
    }

    private final class Work {
        let name: StaticString
        let niceness: CInt
        var body: (() -> Void)?
        let ended: @Sendable () -> Void

        init(
            _ name: StaticString, _ niceness: CInt, _ body: @escaping () -> Void,
            _ ended: @escaping @Sendable () -> Void
        ) {
            self.name = name
            self.niceness = niceness
            self.body = body
            self.ended = ended
        }
    }

    private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
        { argument in
            guard let argument else { return nil }
            let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
            work.name.utf8Start.withMemoryRebound(
                to: CChar.self, capacity: work.name.utf8CodeUnitCount + 1, vitrine_name_this_thread)
            if work.niceness != 0 {
                // Linux keeps niceness per thread.
                let one = __priority_which_t(PRIO_PROCESS.rawValue)
                _ = setpriority(one, 0, getpriority(one, 0) + work.niceness)
            }
            work.body?()
            work.body = nil
            work.ended()
            return nil
        }
}
