import App
import FoundationEssentials
import Glibc

/// Processor time that the machine and this program have used until now, in clock ticks.
struct MachineActivity: Sendable, Equatable {
    /// Of all processors together, busy or idle.
    var all: Int
    /// Busy with any program, or taken by the host of a virtual machine.
    var busy: Int
    /// Busy with this process and its descendants.
    var own: Int

    /// Returns the share of all processors that other programs had since, from 0 to 1. Nil for a span
    /// that is too short to tell.
    func others(since before: MachineActivity) -> Double? {
        let all = all - before.all
        // Ticks are hundredths of a second, so a tenth of a second has 10 a core.
        guard all >= 10 else { return nil }
        let others = (busy - before.busy) - (own - before.own)
        return min(1, max(0, Double(others) / Double(all)))
    }

    /// Reads `/proc`; nil if it can't be read. Blocks for about a millisecond.
    static func now() -> MachineActivity? {
        guard let text = ProcFile.text("/proc/stat"),
            let (all, busy) = totals(ofStat: text)
        else { return nil }
        return MachineActivity(
            all: all, busy: busy, own: ProcessTree.now().ticks(under: Int(getpid())))
    }

    /// Reads the first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal.
    static func totals(ofStat text: String) -> (all: Int, busy: Int)? {
        guard let line = text.split(separator: "\n").first, line.hasPrefix("cpu ") else {
            return nil
        }
        let ticks = line.split(separator: " ").dropFirst().prefix(8).compactMap { Int($0) }
        guard ticks.count >= 5 else { return nil }
        let all = ticks.reduce(0, +)
        return (all, all - ticks[3] - ticks[4])
    }
}

/// All processes of the machine, as far as `/proc` shows them.
struct ProcessTree: Sendable {
    struct Entry: Sendable, Equatable {
        var identifier: Int
        var parent: Int
        /// User and system time of the process and of the children that it has waited for.
        var ticks: Int
        /// Page faults of the same processes, without reading from a disk and with.
        var faults: Int
        var majorFaults: Int
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

    /// Returns the processor time of a process and all its descendants, in clock ticks.
    func ticks(under root: Int) -> Int { family(of: root).reduce(0) { $0 + $1.ticks } }

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
        // From the third field on: state, parent, …; faults are the 10th to 13th, times the 14th to
        // 17th, resident pages the 24th.
        let fields = text[text.index(after: close)...].split(separator: " ")
        guard fields.count > 21, let parent = Int(fields[1]), let resident = Int(fields[21]) else {
            return nil
        }
        let numbers = fields[7...14].map { Int($0) ?? 0 }
        return Entry(
            identifier: identifier, parent: parent, ticks: numbers[4...].reduce(0, +),
            faults: numbers[0] + numbers[1], majorFaults: numbers[2] + numbers[3],
            residentPages: resident)
    }
}

/// Small files of `/proc` and `/sys`, which are read whole.
enum ProcFile {
    /// Returns the text; nil if the file can't be read.
    static func text(_ path: String) -> String? {
        guard let bytes = try? LocalFile.read(path, limit: 1 << 20) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
