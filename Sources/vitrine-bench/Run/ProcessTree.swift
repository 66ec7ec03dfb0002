import App
import CLinux
import Catalog
import Console
import CoreFoundation
import Glibc

/// All processes of the machine, as far as `/proc` shows them.
struct ProcessTree: Sendable {
    struct Entry: Sendable, Equatable {
        var identifier: Int
        var parent: Int
        /// User and system time of the process and of the children that it has waited for.
        var ticks: Int
        /// Pages in memory.
        var residentPages: Int
    }

    var entries: [Entry]

    /// Returns a process and all its descendants.
    func family(of root: Int) -> [Entry] {
        let children = Dictionary(grouping: entries) { $0.parent }
        var found = entries.filter { $0.identifier == root }
        var next = 0
        while next < found.count {
            found += children[found[next].identifier] ?? []
            next += 1
        }
        return found
    }

    /// Returns the one of these processes that none of the others has started; the oldest if there are
    /// several.
    func first(of processes: [Int]) -> Int? {
        let all = Set(processes)
        return entries.filter { all.contains($0.identifier) && !all.contains($0.parent) }
            .map(\.identifier).min()
    }

    static func now() -> ProcessTree {
        let names = (try? LocalFile.names(in: "/proc")) ?? []
        return ProcessTree(
            entries: names.compactMap { name in
                guard let identifier = Int(name),
                    let text = ProcFile.text("/proc/\(identifier)/stat")
                else { return nil }
                return entry(ofStat: text)
            })
    }

    /// Reads a line of `/proc/PID/stat`. The name is in brackets and may hold spaces and brackets.
    static func entry(ofStat text: String) -> Entry? {
        guard let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")"),
            let identifier = Int(text[..<open].filter { $0 != " " })
        else { return nil }
        // From the third field on: state, parent, …; times are the 14th to 17th, resident pages the
        // 24th.
        let fields = text[text.index(after: close)...].split(separator: " ")
        guard fields.count > 21, let parent = Int(fields[1]), let resident = Int(fields[21]) else {
            return nil
        }
        return Entry(
            identifier: identifier, parent: parent,
            ticks: fields[11...14].reduce(0) { $0 + (Int($1) ?? 0) }, residentPages: resident)
    }
}

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

/// Small files of `/proc` and `/sys`, which are read whole.
enum ProcFile {
    /// Returns the text; nil if the file can't be read.
    static func text(_ path: String) -> String? {
        guard let bytes = try? LocalFile.read(path, limit: 1 << 20) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the first value of a key in lines of `key separator value`, without quotes.
    static func value(of key: String, separator: Character, in text: String) -> String? {
        for line in text.split(separator: "\n") {
            let pair = line.split(separator: separator, maxSplits: 1)
            guard pair.count == 2, String(pair[0]).trimmed == key else { continue }
            return pair[1].filter { $0 != "\"" }.trimmed
        }
        return nil
    }
}
