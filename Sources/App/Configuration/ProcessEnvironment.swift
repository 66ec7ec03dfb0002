import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The environment of this process at its start.
///
/// Settings in it are overwritten in memory, because a removed variable stays readable in
/// `/proc/PID/environ`.
package enum ProcessEnvironment {
    /// The variables at the start. Read it before other threads start.
    package static let values: [String: String] = {
        let values = ProcessInfo.processInfo.environment
        for name in values.keys where isSetting(name) { overwrite(name) }
        return values
    }()

    /// Variables of others that hold a secret count, too.
    private static func isSetting(_ name: String) -> Bool {
        name.hasPrefix("VITRINE_") || name == "AWS_CONTAINER_AUTHORIZATION_TOKEN"
            || TraceSettings.secrets.contains(name)
            || ConfigurationKey.all.contains { $0.commonVariable == name }
    }

    private static func overwrite(_ name: String) {
        guard let value = getenv(name) else { return }
        memset(value, 0, strlen(value))
        unsetenv(name)
    }
}
