import Fetch
import Imaging
package import Memory
import Objects
import Pipeline
import Serve
import Store

extension Settings {
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
        let loops = server.threads > 0 ? server.threads : processors
        let renders = imaging.threads > 0 ? imaging.threads : processors
        var transfers = fetch.maxTransfers
        if s3.endpoint != nil { transfers += Assembly.sharedStoreTransfers }
        if purgeRequest.url != nil { transfers += 1 }
        // Small pictures and expensive ones have as many threads each.
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
