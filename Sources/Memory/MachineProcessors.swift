import CProcessors

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The processors that this process may use.
package enum MachineProcessors {
    /// Returns the number of processors in the process's affinity, or fewer if its control group
    /// limits processor time. Blocks while it reads a few files of `/proc` and `/sys`.
    ///
    /// - Parameter root: prefix of `/proc` and `/sys`.
    package static func count(root: String = "") -> Int {
        count(
            allowed: allowed,
            quotas: groupTexts(root: root, controller: "cpu", file: "cpu.max"))
    }

    /// Returns the smallest of them, at least 1. Pure.
    ///
    /// - Parameter quotas: the contents of `cpu.max`: microseconds in a period and the period, such
    ///   as `150000 100000` for one and a half processors, which counts as 2. `max` means no limit.
    static func count(allowed: Int, quotas: [String]) -> Int {
        let limits = quotas.compactMap { text -> Int? in
            let numbers = text.split(whereSeparator: \.isWhitespace).map { Int($0) }
            guard numbers.count == 2, let quota = numbers[0], let period = numbers[1], quota > 0,
                period > 0
            else { return nil }
            return (quota - 1) / period + 1
        }
        return max(1, limits.reduce(allowed, min))
    }

    /// The processors of this thread's affinity, or those online if it is unknown.
    private static var allowed: Int {
        let count = Int(processors_allowed())
        return count > 0 ? count : Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }
}
