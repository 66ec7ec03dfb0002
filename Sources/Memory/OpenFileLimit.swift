#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The process's limit of open files.
package enum OpenFileLimit {
    /// The limit in force; 1,024, the usual one, if the system doesn't tell it.
    package static var current: Int { limit.map { Int(clamping: $0.rlim_cur) } ?? 1_024 }

    /// Raises the limit in force to the one that the process may set. Call it at the start, before
    /// the limit is divided.
    package static func raise() {
        guard var raised = limit, raised.rlim_cur < raised.rlim_max else { return }
        raised.rlim_cur = raised.rlim_max
        // If the system refuses, the limit in force is divided.
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised)
    }

    private static var limit: rlimit? {
        var limit = rlimit()
        let status = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return status == 0 ? limit : nil
    }
}
