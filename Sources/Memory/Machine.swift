import CProcessors

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
        for line in readText("\(root)/proc/meminfo").split(separator: "\n")
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
        groupTexts(
            root: root, controller: "memory", file: "memory.max", old: "memory.limit_in_bytes"
        ).map { text in
            Int(text.prefix { "0"..."9" ~= $0 }).flatMap { $0 < 1 << 60 ? $0 : nil }
        }
    }
}

// MARK: - Files of the control group of this process and of the groups above it

/// Returns the contents of a controller's file, from the mount point down, because a group's
/// limits apply to all groups below it. Missing groups, as inside a container, are skipped.
///
/// - Parameters:
///   - root: prefix of `/proc` and `/sys`.
///   - file: the name in version 2.
///   - old: the name in version 1, below the controller's own directory.
func groupTexts(
    root: String, controller: String, file: String, old: String? = nil
) -> [String] {
    readText("\(root)/proc/self/cgroup").split(separator: "\n").flatMap { line -> [String] in
        // `0::/a/b`, or `5:memory:/a/b`.
        let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return [] }
        let controllers = parts[1].split(separator: ",")
        if controllers.isEmpty { return groupTexts("\(root)/sys/fs/cgroup", parts[2], file) }
        guard let old, controllers.contains(controller[...]) else { return [] }
        return groupTexts("\(root)/sys/fs/cgroup/\(controller)", parts[2], old)
    }
}

private func groupTexts(_ mount: String, _ path: Substring, _ file: String) -> [String] {
    var directory = mount
    var texts = [readText("\(directory)/\(file)")]
    for name in path.split(separator: "/") where name != ".." {
        directory += "/\(name)"
        texts.append(readText("\(directory)/\(file)"))
    }
    return texts.filter { !$0.isEmpty }
}

/// Returns up to 64 KiB of a file; empty if it can't be read, as in a container without `/sys`.
private func readText(_ path: String) -> String {
    guard let file = fopen(path, "re") else { return "" }
    defer { fclose(file) }
    let bytes = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
        count = fread(buffer.baseAddress, 1, buffer.count, file)
    }
    return String(decoding: bytes, as: UTF8.self)
}
