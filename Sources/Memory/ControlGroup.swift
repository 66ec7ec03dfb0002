#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The files of the control group of this process and of the groups above it. Blocks.
enum ControlGroup {
    /// Returns the contents of a controller's file, from the mount point down, because a group's
    /// limits apply to all groups below it. Missing groups, as inside a container, are skipped.
    ///
    /// - Parameters:
    /// - root: prefix of `/proc` and `/sys`.
    ///   - file: the name in version 2.
    ///   - old: the name in version 1, below the controller's own directory.
    static func texts(
        root: String, controller: String, file: String, old: String? = nil
    ) -> [String] {
        text("\(root)/proc/self/cgroup").split(separator: "\n").flatMap { line -> [String] in
            // `0::/a/b`, or `5:memory:/a/b`.
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return [] }
            let controllers = parts[1].split(separator: ",")
            if controllers.isEmpty { return texts("\(root)/sys/fs/cgroup", parts[2], file) }
            guard let old, controllers.contains(controller[...]) else { return [] }
            return texts("\(root)/sys/fs/cgroup/\(controller)", parts[2], old)
        }
    }

    private static func texts(_ mount: String, _ path: Substring, _ file: String) -> [String] {
        var directory = mount
        var texts = [text("\(directory)/\(file)")]
        for name in path.split(separator: "/") where name != ".." {
            directory += "/\(name)"
            texts.append(text("\(directory)/\(file)"))
        }
        return texts.filter { !$0.isEmpty }
    }

    /// Returns up to 64 KiB of a file; empty if it can't be read, as in a container without `/sys`.
    static func text(_ path: String) -> String {
        guard let file = fopen(path, "re") else { return "" }
        defer { fclose(file) }
        let bytes = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
            count = fread(buffer.baseAddress, 1, buffer.count, file)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
