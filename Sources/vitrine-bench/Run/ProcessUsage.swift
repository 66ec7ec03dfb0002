import App
import CLinux
import Catalog
import Console
import CoreFoundation
import Glibc

/// What processes have used until now.
enum ProcessUsage {
    /// User and system time of this process, in seconds.
    static func own() -> Double {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return usage.processorSeconds
    }

    /// Returns what `body` returns, and the seconds of wall time and of this process's processor time that
    /// it takes.
    static func measured<Value: Sendable>(
        _ body: () async throws -> Value
    ) async rethrows -> (value: Value, wall: Double, processor: Double) {
        let (before, started) = (own(), ContinuousClock.now)
        let value = try await body()
        return (value, started.duration(to: .now) / .seconds(1), own() - before)
    }

    /// Processor time of a process and all its living descendants, in seconds; without a process of
    /// this process's descendants alone. Takes some milliseconds itself.
    static func family(of process: pid_t? = nil) -> Double {
        family(process ?? getpid(), isWhole: process != nil).reduce(0) { $0 + time(of: $1) }
    }

    /// Resident memory of a process and all its descendants, in bytes.
    static func residentBytes(of process: pid_t) -> Int {
        family(process, isWhole: true).reduce(0) { $0 + $1.residentPages }
            * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// The largest resident sets of this process and its children so far, added up, in bytes.
    static func familyPeakMemory() -> Int {
        family(getpid(), isWhole: true).reduce(0) { $0 + peakMemory(of: "\($1.identifier)") }
    }

    /// The largest resident set of a process so far, in bytes; 0 where the kernel doesn't say.
    /// `getrusage` would count what the process that started it had.
    static func peakMemory(of process: String = "self") -> Int {
        let text = ProcFile.text("/proc/\(process)/status") ?? ""
        let kilobytes = ProcFile.value(of: "VmHWM", separator: ":", in: text)?
            .split(separator: " ").first.flatMap { Int($0) }
        return (kilobytes ?? 0) * 1_024
    }

    /// Processor time of the calling thread in seconds.
    static func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func family(_ root: pid_t, isWhole: Bool) -> [ProcessTree.Entry] {
        ProcessTree.now().family(of: Int(root)).filter { isWhole || $0.identifier != Int(root) }
    }

    /// Of a process and the children that it has waited for, in seconds.
    ///
    /// Clock ticks are hundredths of a second, too coarse for some small pictures. The scheduler counts
    /// nanoseconds, but only of threads that live; where it knows less, the ticks count.
    private static func time(of process: ProcessTree.Entry) -> Double {
        let coarse = Double(process.ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
        let tasks = "/proc/\(process.identifier)/task"
        let fine = ((try? LocalFile.names(in: tasks)) ?? []).reduce(0.0) { sum, task in
            let text = ProcFile.text("\(tasks)/\(task)/schedstat") ?? ""
            return sum + (text.split(separator: " ").first.flatMap { Double($0) } ?? 0) / 1e9
        }
        return coarse > fine + 0.02 ? coarse : fine
    }
}
