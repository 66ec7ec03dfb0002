import FoundationEssentials
import Glibc

/// The priority of a process that answers no clients.
package enum BackgroundPriority {
    /// Added to the niceness of the process.
    private static let niceness: Int32 = 5

    /// Lets other processes go first, such as a service on this machine, for which a run fills the
    /// cache. Costs nothing while nothing else wants the processors. Threads that are started later
    /// follow. Call before threads of stages are started; blocks for some microseconds.
    ///
    /// - Parameter threads: their numbers; by default all of this process.
    package static func take(of threads: [UInt32] = threads) {
        let kind = __priority_which_t(PRIO_PROCESS.rawValue)
        // Linux keeps niceness per thread. What can't be set only changes the order of work.
        for thread in threads {
            _ = setpriority(kind, thread, getpriority(kind, thread) + niceness)
        }
    }

    /// The threads that run now.
    package static var threads: [UInt32] {
        // Without /proc, the process keeps its priority.
        let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        return (names ?? []).compactMap { UInt32($0) }
    }
}
