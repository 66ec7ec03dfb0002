import Glibc
import Imaging
import Memory
import Serve
import Store

extension Settings {
    /// Threads of the program besides those that grow with the machine.
    private static let fixedThreads = 20
    /// Stack of a thread without a limit of stacks.
    private static let defaultStack = 8 << 20
    /// Addresses of the program, of its libraries, and of what it allocates before the first request.
    private static let addresses = 384 << 20

    /// Compares the limits of this process with what the service needs. Below them the runtime ends
    /// the process where it gets no memory, and a renderer fails for each picture.
    ///
    /// - Parameter limit: returns a limit in bytes; nil for none.
    /// - Throws: ``ConfigurationError`` with the limit that is too low.
    func checkProcessLimits(
        processors: Int = MachineProcessors.count(),
        limit: (_ resource: __rlimit_resource) -> Int? = Self.processLimit
    ) throws(ConfigurationError) {
        let stacks = threadCount(processors) * (limit(RLIMIT_STACK) ?? Self.defaultStack)
        let ofChildren = imaging.memory + imaging.isolation.idle * MemoryShares.idleChild
        try Self.check(
            limit(RLIMIT_DATA), memory.resolvedBudget - ofChildren + stacks, "RLIMIT_DATA",
            "for its share of memory.budget and for the stacks of its threads",
            "LimitDATA in a systemd unit, ulimit -d in a shell", or: "memory.budget")
        try Self.check(
            limit(RLIMIT_AS), Self.addresses + stacks, "RLIMIT_AS",
            "for its libraries and for the stacks of its threads",
            "LimitAS in a systemd unit, ulimit -v in a shell", or: "imaging.threads")
        // A child's memory grows by doubling.
        try Self.check(
            limit(RLIMIT_FSIZE), 2 * imaging.maxBytes, "RLIMIT_FSIZE",
            "for the memory that it shares with a renderer, which the system counts as a file",
            "LimitFSIZE in a systemd unit, ulimit -f in a shell", or: "imaging.maxBytes")
    }

    private static func check(
        _ limit: Int?, _ needed: Int, _ name: String, _ reason: String, _ places: String,
        or setting: String
    ) throws(ConfigurationError) {
        guard let limit, limit < needed else { return }
        throw ConfigurationError(
            "\(name) is \(limit >> 10)KiB, and this process needs \(needed >> 10)KiB \(reason); "
                + "raise the limit (\(places)) or lower \(setting).")
    }

    /// Threads that the service starts.
    private func threadCount(_ processors: Int) -> Int {
        let loops = server.threads > 0 ? server.threads : processors
        let renders = imaging.threads > 0 ? imaging.threads : processors
        return Self.fixedThreads + BlobStore.threadCount + 2 * loops + 2 * renders
    }

    /// Returns a limit of this process in bytes; nil for none.
    private static func processLimit(_ resource: __rlimit_resource) -> Int? {
        var limit = rlimit()
        let status = getrlimit(__rlimit_resource_t(resource.rawValue), &limit)
        // The largest number stands for no limit.
        return status == 0 && limit.rlim_cur < .max ? Int(clamping: limit.rlim_cur) : nil
    }
}
