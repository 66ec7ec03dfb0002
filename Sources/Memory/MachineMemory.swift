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
        for line in ControlGroup.text("\(root)/proc/meminfo").split(separator: "\n")
        where line.hasPrefix("MemTotal:") {
            let words = line.split(separator: " ")
            return words.count > 1 ? Int(words[1]).map { $0 << 10 } : nil
        }
        return nil
    }

    /// Nil for `max`.
    private static func groupLimits(_ root: String) -> [Int?] {
        ControlGroup.texts(
            root: root, controller: "memory", file: "memory.max", old: "memory.limit_in_bytes"
        ).map { Int($0.prefix { "0"..."9" ~= $0 }) }
    }
}
