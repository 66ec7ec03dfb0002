import Glibc

/// The process's limit of open files.
package enum OpenFileLimit {
    /// What the process needs besides connections: the store's files, transfers, libraries.
    private static let reserve: Int = 1_024

    /// Raises the limit of open files. Returns how many connections it allows.
    ///
    /// - Parameter files: what the process keeps open for responses.
    package static func reserve(connections: Int, files: Int) -> Int {
        let reserve = reserve + files
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return connections
        }
        let wanted = rlim_t(connections + reserve)
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = min(wanted, limit.rlim_max)
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 {
                limit = raised
            }
        }
        let there = Int(clamping: limit.rlim_cur)
        return min(connections, max(there - reserve, there / 2, 1))
    }
}
