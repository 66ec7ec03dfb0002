import Glibc

/// What the machine, or the control group of this process, allows it to take.
package enum MachineMemory {
    /// The budget by default: a quarter of the smaller of memory and limits, and no less than
    /// ``MemoryShares/leastBudget``, in whole MiB. Reads a few files of `/proc` and `/sys`, so it blocks.
    package static func budget(root: String = "") -> Int {
        let quarter = (bytes(root: root) ?? 0) / 4
        return max(MemoryShares.leastBudget, (quarter >> 20) << 20)
    }

    /// The smaller of the machine's memory and the limits of the control group and those above it;
    /// nil where neither can be read.
    ///
    /// - Parameter root: put before `/proc` and `/sys`.
    package static func bytes(root: String = "") -> Int? {
        ([installed(root)] + groupLimits(root)).compactMap(\.self).min()
    }

    private static func installed(_ root: String) -> Int? {
        for line in text("\(root)/proc/meminfo").split(separator: "\n")
        where line.hasPrefix("MemTotal:") {
            let words = line.split(separator: " ")
            return words.count > 1 ? Int(words[1]).map { $0 << 10 } : nil
        }
        return nil
    }

    /// Of version 2 (`memory.max`) and version 1 (`memory.limit_in_bytes`), each up the hierarchy:
    /// the limit of a group counts for all below it.
    private static func groupLimits(_ root: String) -> [Int?] {
        text("\(root)/proc/self/cgroup").split(separator: "\n").flatMap { line -> [Int?] in
            // `0::/a/b`, or `5:memory:/a/b`.
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return [] }
            let controllers = parts[1].split(separator: ",")
            if controllers.isEmpty {
                return limits("\(root)/sys/fs/cgroup", parts[2], "memory.max")
            }
            guard controllers.contains("memory") else { return [] }
            return limits("\(root)/sys/fs/cgroup/memory", parts[2], "memory.limit_in_bytes")
        }
    }

    /// From the mount point down: inside a container the path may name groups that aren't there, and
    /// those are passed over.
    private static func limits(_ mount: String, _ path: Substring, _ file: String) -> [Int?] {
        var directory = mount
        var limits = [limit("\(directory)/\(file)")]
        for name in path.split(separator: "/") where name != ".." {
            directory += "/\(name)"
            limits.append(limit("\(directory)/\(file)"))
        }
        return limits
    }

    /// Nil for `max`, and for a file that isn't there.
    private static func limit(_ path: String) -> Int? {
        let digits = text(path).prefix { "0"..."9" ~= $0 }
        return Int(digits)
    }

    /// Up to 64 KiB; empty where it can't be read, as in a container without `/sys`.
    private static func text(_ path: String) -> String {
        guard let file = fopen(path, "re") else { return "" }
        defer { fclose(file) }
        let bytes = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
            count = fread(buffer.baseAddress, 1, buffer.count, file)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
