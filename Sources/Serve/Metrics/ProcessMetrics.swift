// For timespec. Two C modules include its header, and the compiler requires an import of this one.
import CLinux
import Glibc
import Metrics

/// The kernel's figures for this process (proc(5)), under the names of Prometheus' client
/// libraries.
enum ProcessMetrics {
    /// - Parameter childSeconds: processor time of the processes that render for this one, which are part of
    ///   the service.
    static func write(to text: inout MetricText, childSeconds: Double) {
        if let fields = stat() {
            let tick = Double(sysconf(Int32(_SC_CLK_TCK)))
            text.counter(
                "process_cpu_seconds_total",
                "User and system time, with the child processes that render.",
                (fields[11] + fields[12]) / tick + childSeconds)
            text.gauge(
                "process_resident_memory_bytes", "Resident memory.",
                fields[21] * Double(sysconf(Int32(_SC_PAGESIZE))))
            text.gauge(
                "process_start_time_seconds", "Start of the process since the epoch.",
                bootTime + fields[19] / tick)
        }
        if let count = openFiles() {
            text.gauge("process_open_fds", "Open file descriptors.", count)
        }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            text.gauge(
                "process_max_fds", "Limit of open file descriptors.", Double(limit.rlim_cur))
        }
    }

    /// Returns the numbers after the name in parentheses, which may contain spaces. Index 0 is the
    /// state.
    private static func stat() -> [Double]? {
        guard let text = file("/proc/self/stat"), let end = text.lastIndex(of: ")") else {
            return nil
        }
        let fields = text[text.index(after: end)...].split(separator: " ").map { Double($0) ?? 0 }
        return fields.count > 21 ? fields : nil
    }

    /// Boot time in seconds since the epoch.
    ///
    /// /proc/stat has it too, but not with systemd's ProcSubset=pid. It is read only once, because
    /// a clock adjustment must not look like a restart.
    private static let bootTime: Double = {
        func now(_ clock: clockid_t) -> Double {
            var time = timespec()
            clock_gettime(clock, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let seconds = now(CLOCK_REALTIME) - now(CLOCK_BOOTTIME)
        return (seconds * 100).rounded() / 100
    }()

    private static func openFiles() -> Int? {
        guard let directory = opendir("/proc/self/fd") else { return nil }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        // Without the directory's own descriptor and the two dot entries.
        return count - 3
    }

    /// Reads a kernel file of at most 64 KiB. Such files report no length before they are read.
    private static func file(_ path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
