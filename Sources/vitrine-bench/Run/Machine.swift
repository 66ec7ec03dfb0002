import App
import Catalog
import Foundation
import Glibc
import Memory

extension BenchMachine {
    /// Reads what the kernel says about the machine. Blocks for some milliseconds.
    static func read() -> BenchMachine {
        var names = utsname()
        uname(&names)
        return BenchMachine(
            processor: ProcFile.text("/proc/cpuinfo").flatMap(processor(in:)) ?? "unknown",
            cores: MachineProcessors.count(),
            memory: Int(sysconf(Int32(_SC_PHYS_PAGES))) * Int(sysconf(Int32(_SC_PAGESIZE))),
            kernel: text(&names.release), architecture: text(&names.machine),
            system: ProcFile.text("/etc/os-release").flatMap {
                ProcFile.value(of: "PRETTY_NAME", separator: "=", in: $0)
            } ?? text(&names.sysname),
            governor: ProcFile.text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
                .map(\.trimmed), libraries: [])
    }

    /// Returns the name of the processor in `/proc/cpuinfo`. arm64 has the numbers of its maker and of its
    /// part instead.
    static func processor(in text: String) -> String? {
        func value(_ key: String) -> String? { ProcFile.value(of: key, separator: ":", in: text) }
        if let name = value("model name") { return name }
        guard let maker = value("CPU implementer"), let part = value("CPU part") else { return nil }
        return "arm64 \(maker) \(part)"
    }

    private static func text<Tuple>(_ field: inout Tuple) -> String {
        withUnsafeBytes(of: &field) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}

extension BenchLoad {
    /// Reads what the machine does now.
    static func now() -> BenchLoad {
        var averages = [0.0, 0, 0]
        let count = getloadavg(&averages, 3)
        let root = "/sys/devices/system/cpu"
        let clocks = ((try? LocalFile.names(in: root)) ?? []).compactMap { name -> Double? in
            let files = "\(root)/\(name)/cpufreq"
            guard name.hasPrefix("cpu"), let current = number("\(files)/scaling_cur_freq"),
                let highest = number("\(files)/cpuinfo_max_freq"), highest > 0
            else { return nil }
            return current / highest
        }
        return BenchLoad(
            averages: Array(averages.prefix(max(0, Int(count)))), clock: clocks.min())
    }

    private static func number(_ path: String) -> Double? {
        ProcFile.text(path).flatMap { Double($0.trimmed) }
    }
}

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
        let own = ProcessTree.now().family(of: Int(getpid())).reduce(0) { $0 + $1.ticks }
        return MachineActivity(all: all, busy: busy, own: own)
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
