import App
import FoundationEssentials
import Glibc
import Memory

extension BenchMachine {
    /// Reads what the kernel says about the machine. Blocks for some milliseconds.
    static func read(libraries: [BenchSetting]) -> BenchMachine {
        var names = utsname()
        uname(&names)
        return BenchMachine(
            processor: ProcFile.text("/proc/cpuinfo").flatMap {
                value(of: "model name", separator: ":", in: $0)
            } ?? "unknown",
            cores: MachineProcessors.count(),
            memory: Int(sysconf(Int32(_SC_PHYS_PAGES))) * Int(sysconf(Int32(_SC_PAGESIZE))),
            kernel: text(&names.release), architecture: text(&names.machine),
            system: ProcFile.text("/etc/os-release").flatMap {
                value(of: "PRETTY_NAME", separator: "=", in: $0)
            } ?? text(&names.sysname),
            governor: ProcFile.text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")?
                .trimmed,
            libraries: libraries)
    }

    /// Returns the first value of a key in lines of `key separator value`, without quotes.
    static func value(of key: String, separator: Character, in text: String) -> String? {
        for line in text.split(separator: "\n") {
            let pair = line.split(separator: separator, maxSplits: 1)
            guard pair.count == 2, String(pair[0]).trimmed == key else { continue }
            return String(pair[1].filter { $0 != "\"" }).trimmed
        }
        return nil
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
        return BenchLoad(
            averages: Array(averages.prefix(max(0, Int(count)))), clock: slowestClock())
    }

    private static func slowestClock() -> Double? {
        let root = "/sys/devices/system/cpu"
        let shares = ((try? LocalFile.names(in: root)) ?? []).compactMap { name -> Double? in
            let files = "\(root)/\(name)/cpufreq"
            guard name.hasPrefix("cpu"), let current = number("\(files)/scaling_cur_freq"),
                let highest = number("\(files)/cpuinfo_max_freq"), highest > 0
            else { return nil }
            return current / highest
        }
        return shares.min()
    }

    private static func number(_ path: String) -> Double? {
        ProcFile.text(path).flatMap { Double($0.trimmed) }
    }
}

extension String {
    /// Without white space at both ends.
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
