import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The environment that this process was started with.
///
/// Settings that came by it are overwritten where the kernel put them: removing a variable leaves its
/// bytes in `/proc/PID/environ`, for as long as the process lives.
package enum ProcessEnvironment {
    /// As it was at the start. To be asked for the first time before there are other threads.
    package static let values: [String: String] = {
        let values = ProcessInfo.processInfo.environment
        for name in values.keys where name.hasPrefix("VITRINE_") { overwrite(name) }
        return values
    }()

    private static func overwrite(_ name: String) {
        guard let value = getenv(name) else { return }
        memset(value, 0, strlen(value))
        unsetenv(name)
    }
}
