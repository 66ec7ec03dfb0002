import CSandbox
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The processor time of the processes that render, living and ended. Each counts once. Thread-safe.
final class ChildTimes: Sendable {
    private struct State {
        /// Nanoseconds of the ended ones.
        var ended: Int64 = 0
        /// Nanoseconds of the living ones, as last read.
        var living: [pid_t: Int64] = [:]
    }

    private let state = Mutex(State())
    /// Returns the nanoseconds of a process so far; less than 0 if there is no such process.
    private let read: @Sendable (pid_t) -> Int64

    init(read: @escaping @Sendable (pid_t) -> Int64 = { sandbox_processor_time($0) }) {
        self.read = read
    }

    /// The time of all until now. Never becomes less.
    var total: Duration {
        .nanoseconds(
            state.withLock { state in
                for process in state.living.keys { look(process, &state) }
                return state.living.values.reduce(state.ended, +)
            })
    }

    func begin(_ process: pid_t) { state.withLock { $0.living[process] = 0 } }

    /// Reads the time of a process that may end at any moment.
    func look(_ process: pid_t) { state.withLock { look(process, &$0) } }

    /// Counts a process as ended.
    ///
    /// - Parameter time: nanoseconds that it had; nil if only what was read before is known.
    func end(_ process: pid_t, time: Int64? = nil) {
        state.withLock { state in
            guard let last = state.living.removeValue(forKey: process) else { return }
            state.ended += max(last, time ?? 0)
        }
    }

    /// The clock of a process that has ended is gone, and the last reading counts.
    private func look(_ process: pid_t, _ state: inout State) {
        guard let last = state.living[process] else { return }
        state.living[process] = max(last, read(process))
    }
}
