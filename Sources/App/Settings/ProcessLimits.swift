import Fetch
import Glibc
import Imaging
package import Memory
import Objects
import Pipeline
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
        let (loops, renders) = threads(processors)
        return Self.fixedThreads + BlobStore.threadCount + 2 * loops + 2 * renders
    }

    /// Threads of connections, and those of small pictures, which are as many as those of expensive ones.
    private func threads(_ processors: Int) -> (loops: Int, renders: Int) {
        (
            server.threads > 0 ? server.threads : processors,
            imaging.threads > 0 ? imaging.threads : processors
        )
    }

    /// Returns a limit of this process in bytes; nil for none.
    private static func processLimit(_ resource: __rlimit_resource) -> Int? {
        var limit = rlimit()
        let status = getrlimit(__rlimit_resource_t(resource.rawValue), &limit)
        // The largest number stands for no limit.
        return status == 0 && limit.rlim_cur < .max ? Int(clamping: limit.rlim_cur) : nil
    }

    /// Descriptors of one transfer: two connections are tried or kept beside it, and the sockets of a
    /// look-up that was given up outlast it.
    private static let filesOfTransfer = 4
    /// Of a child: its channel, its memory, and an original that its decoder reads as a file.
    private static let filesOfChild = 3
    /// Of a thread of the store: the file, its directory, and a file being written.
    private static let filesOfStoreThread = 3
    /// Of a thread of connections: epoll and its wake-up.
    private static let filesOfLoop = 2
    /// Of a connection to NATS or a queue's database, with its log and its locks.
    private static let filesOfQueue = 16
    /// Of the two databases: each connection has the file and its log open, and salvage has both twice.
    private static let filesOfDatabases = 32
    /// Standard streams, locks, signals, watches, the forker of children, and files of `/proc`.
    private static let filesOfProgram = 48

    /// Connections that are wanted and for which `memory.budget` has room.
    var wantedConnections: Int {
        min(server.maxConnections, memory.encryptedConnections ?? .max)
    }

    /// Divides the process's limit of open files between the process, connections, responses and kept
    /// files. All of it is decided here.
    ///
    /// - Parameter limit: of the process.
    /// - Throws: ``ConfigurationError`` if the process itself needs more than the limit leaves.
    package func divideOpenFiles(
        limit: Int = OpenFileLimit.current, processors: Int = MachineProcessors.count()
    ) throws(ConfigurationError) -> OpenFileShares {
        do throws(OpenFileShares.Excess) {
            return try OpenFileShares(
                limit: limit, own: ownFiles(processors: processors),
                connections: wantedConnections)
        } catch {
            throw ConfigurationError(
                "This process may open \(error.limit) files, and with these settings it needs "
                    + "\(error.needed); raise the limit (LimitNOFILE in a systemd unit, ulimit -n in "
                    + "a shell), or lower imaging.threads.")
        }
    }

    /// Descriptors that the process needs besides those of clients, at its largest.
    private func ownFiles(processors: Int) -> Int {
        let (loops, renders) = threads(processors)
        var transfers = fetch.maxTransfers
        if s3.endpoint != nil { transfers += Assembly.sharedStoreTransfers }
        if !buckets.isEmpty { transfers += BucketFetcher.mostTransfers }
        if purgeRequest.url != nil { transfers += 1 }
        let children = 2 * renders + imaging.isolation.idle
        let parts = [
            Self.filesOfProgram, Self.filesOfDatabases, queue == nil ? 0 : Self.filesOfQueue,
            Self.filesOfStoreThread * BlobStore.threadCount, Self.filesOfTransfer * transfers,
            Self.filesOfChild * children, Self.filesOfLoop * loops,
            wantedAdminAddress == nil
                ? 0 : Self.filesOfLoop + 1 + ServerConfiguration.adminConnections,
            // An original in a folder is open while it waits for memory, a directory while it is listed.
            folders.isEmpty ? 0 : pipeline.load.misses + pipeline.load.lookups,
        ]
        return parts.reduce(0, +)
    }
}
