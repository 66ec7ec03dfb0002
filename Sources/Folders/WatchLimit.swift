import Glibc

/// How many directories this process may watch.
package enum WatchLimit {
    /// A watch takes about 1 KB of the kernel's memory, which `memory.budget` doesn't count.
    static let most = 32_768
    /// What kernels before 5.11 allow a user.
    private static let ofOldKernels = 8_192

    /// The limit on this machine. Blocks for a look at `/proc`.
    package static var ofMachine: Int {
        let descriptor = open("/proc/sys/fs/inotify/max_user_watches", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return limit(ofUser: ofOldKernels) }
        defer { close(descriptor) }
        var digits = [UInt8](repeating: 0, count: 20)
        let count = read(descriptor, &digits, digits.count)
        let text = String(decoding: digits.prefix(max(0, count)), as: UTF8.self)
        return limit(ofUser: Int(text.prefix { $0.isNumber }) ?? ofOldKernels)
    }

    /// Returns the half of what the kernel allows a user, so that other programs can watch, too.
    static func limit(ofUser allowed: Int) -> Int { min(most, max(1, allowed / 2)) }
}
