// `timespec` is Glibc's, but the compiler takes it for CoreFoundation's wherever that is loaded too.
import App
import CoreFoundation
import Glibc

/// What processes have used until now.
struct ProcessUsage: Sendable {
    /// User and system time in seconds.
    var processor: Double
    /// Page faults without reading from a disk, and with.
    var faults: Int
    var majorFaults: Int

    /// This process alone.
    static func own() -> ProcessUsage {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return ProcessUsage(
            processor: usage.ru_utime.seconds + usage.ru_stime.seconds, faults: usage.ru_minflt,
            majorFaults: usage.ru_majflt)
    }

    /// All living descendants. Takes some milliseconds itself.
    static func descendants() -> ProcessUsage {
        children().reduce(ProcessUsage(processor: 0, faults: 0, majorFaults: 0)) { sum, child in
            sum
                + ProcessUsage(
                    processor: processorTime(of: child), faults: child.faults,
                    majorFaults: child.majorFaults)
        }
    }

    static func + (left: Self, right: Self) -> Self {
        Self(
            processor: left.processor + right.processor, faults: left.faults + right.faults,
            majorFaults: left.majorFaults + right.majorFaults)
    }

    static func - (left: Self, right: Self) -> Self {
        Self(
            processor: left.processor - right.processor, faults: left.faults - right.faults,
            majorFaults: left.majorFaults - right.majorFaults)
    }

    /// The largest resident sets of this process and its children so far, added up, in bytes.
    static func familyPeakMemory() -> Int {
        children().reduce(peakMemory()) { $0 + peakMemory(of: "\($1.identifier)") }
    }

    /// The largest resident set of a process so far, in bytes; 0 where the kernel doesn't say.
    /// `getrusage` would count what the process that started it had.
    static func peakMemory(of process: String = "self") -> Int {
        let text = ProcFile.text("/proc/\(process)/status") ?? ""
        let kilobytes = BenchMachine.value(of: "VmHWM", separator: ":", in: text)?
            .split(separator: " ").first.flatMap { Int($0) }
        return (kilobytes ?? 0) * 1_024
    }

    /// Processor time of the calling thread in seconds.
    static func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Clock ticks of ``ProcessTree/Entry/ticks`` in a second.
    static var ticksPerSecond: Double { Double(sysconf(Int32(_SC_CLK_TCK))) }

    private static func children() -> [ProcessTree.Entry] {
        let own = Int(getpid())
        return ProcessTree.now().family(of: own).filter { $0.identifier != own }
    }

    /// Of a process and the children that it has waited for, in seconds.
    ///
    /// Clock ticks are hundredths of a second, too coarse for some small pictures. The scheduler counts
    /// nanoseconds, but only of threads that live; where it knows less, the ticks count.
    private static func processorTime(of process: ProcessTree.Entry) -> Double {
        let coarse = Double(process.ticks) / ticksPerSecond
        let tasks = "/proc/\(process.identifier)/task"
        let fine = ((try? LocalFile.names(in: tasks)) ?? []).reduce(0.0) { sum, task in
            let text = ProcFile.text("\(tasks)/\(task)/schedstat") ?? ""
            return sum + (text.split(separator: " ").first.flatMap { Double($0) } ?? 0) / 1e9
        }
        return coarse > fine + 0.02 ? coarse : fine
    }
}
