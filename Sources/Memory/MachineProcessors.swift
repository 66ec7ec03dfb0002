import CProcessors

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The processors that this process may use.
package enum MachineProcessors {
    /// Returns the processors of the process's affinity, or fewer where the processor time of its
    /// control group is limited. Reads a few files of `/proc` and `/sys`, so it blocks.
    ///
    /// - Parameter root: put before `/proc` and `/sys`.
    package static func count(root: String = "") -> Int {
        count(
            allowed: allowed,
            quotas: ControlGroup.texts(root: root, controller: "cpu", file: "cpu.max"))
    }

    /// Returns the least of them, and at least 1. Pure.
    ///
    /// - Parameter quotas: the contents of `cpu.max`: microseconds in a period and the period, such as
    ///   `150000 100000` for one and a half processors, which counts as 2. `max` is no limit.
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

    /// Processors that the scheduler may give to this thread; those online where that is unknown.
    private static var allowed: Int {
        let count = Int(processors_allowed())
        return count > 0 ? count : Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }
}
