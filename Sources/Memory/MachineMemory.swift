#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The memory that the machine, the process's control group or its limit of data allows.
package enum MachineMemory {
    /// Returns the default budget: a quarter of the memory or of the smallest limit, at least
    /// ``MemoryShares/leastBudget``, in whole MiB. Blocks while it reads a few files of `/proc` and
    /// `/sys`.
    package static func budget(root: String = "") -> Int {
        let quarter = (bytes(root: root) ?? 0) / 4
        return max(MemoryShares.leastBudget, (quarter >> 20) << 20)
    }

    /// Returns the smallest of the machine's memory, the limits of the control group and those
    /// above it, and the limit of the process's data; nil if none can be read.
    ///
    /// - Parameters:
    ///   - root: prefix of `/proc` and `/sys`.
    ///   - dataLimit: of the process; nil for none.
    package static func bytes(root: String = "", dataLimit: Int? = dataLimit) -> Int? {
        ([installed(root), dataLimit] + groupLimits(root)).compactMap(\.self).min()
    }

    /// The limit of this process's data in bytes (RLIMIT_DATA); nil for none.
    package static var dataLimit: Int? {
        var limit = rlimit()
        let status = getrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
        // The largest number stands for no limit.
        return status == 0 && limit.rlim_cur < .max ? Int(clamping: limit.rlim_cur) : nil
    }

    /// Returns the machine's memory. Where `/proc/meminfo` is hidden (systemd's `ProcSubset=pid`), the
    /// kernel is asked.
    private static func installed(_ root: String) -> Int? {
        for line in ControlGroup.text("\(root)/proc/meminfo").split(separator: "\n")
        where line.hasPrefix("MemTotal:") {
            let words = line.split(separator: " ")
            return words.count > 1 ? Int(words[1]).map { $0 << 10 } : nil
        }
        guard root.isEmpty else { return nil }
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        return pages > 0 ? pages * sysconf(Int32(_SC_PAGESIZE)) : nil
    }

    /// Returns the limits of all groups; nil stands for `max`, and for the number near 2⁶³ that means
    /// the same in version 1 of control groups.
    private static func groupLimits(_ root: String) -> [Int?] {
        ControlGroup.texts(
            root: root, controller: "memory", file: "memory.max", old: "memory.limit_in_bytes"
        ).map { text in
            Int(text.prefix { "0"..."9" ~= $0 }).flatMap { $0 < 1 << 60 ? $0 : nil }
        }
    }
}
