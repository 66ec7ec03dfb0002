package import FoundationEssentials
package import Imaging
package import Memory
package import Store

/// All gauges and counters of the pipeline, read at one moment and without waiting for the disk.
/// Counters start with the process.
package struct PipelineStatus: Sendable {
    /// Misses in flight.
    package var misses: Int
    /// Requests' misses that hold a place, and those that wait for a host or a place.
    package var missLoad: (running: Int, waiting: Int)
    /// Lookups of catalog pages and items that hold a place, and those that wait.
    package var lookupLoad: (running: Int, waiting: Int)
    /// Decodes.
    package var renderCount: Int
    /// Renders that wait, run and hang.
    package var renders: RenderLoad
    /// Seconds of processor time of the processes that render for this one.
    package var childSeconds: Double
    /// Bytes of memory that libvips tracks.
    package var libraryMemory: Int
    /// Pictures in memory, their bytes, and how many were evicted.
    package var memory: (count: Int, bytes: Int, evictions: Int)
    /// Bytes of catalog documents in memory.
    package var catalogBytes: Int
    /// Bytes of originals in flight, and how many wait for room.
    package var originals: ByteBudget.Load
    /// Blobs found damaged and set aside.
    package var healCount: Int
    /// Bytes of blobs that were read to compare them with their digests, and to send them.
    package var blobBytesRead: (verified: Int, sent: Int)
    /// Originals that brought a renderer down.
    package var quarantineCount: Int
    /// Originals that a process was rendering when it died, and that have not been rendered since.
    package var suspectCount: Int
    /// What the cache takes on disk, and what was evicted and scrubbed.
    package var disk: UpkeepStatus
    /// Errors of the store, and what waits for the disk.
    package var storage: StoreStatus
    /// Nil without a shared store.
    package var shared: SharedStatus?
}

/// The state of the shared store, as this node sees it.
package struct SharedStatus: Sendable, Equatable {
    /// 0: it is asked. 1: the next request is a probe. 2: it failed several times, and rests.
    package var breaker: Int
    /// Items that wait for their upload, and since when the first does.
    package var waiting: Int
    package var oldest: Date?
}

/// The load of a recently used origin, with its label in metrics.
package struct OriginLoad: Sendable, Equatable {
    package var name: String
    /// The circuit breaker. 0: closed. 1: the next transfer is a probe. 2: open after consecutive
    /// failures, so the origin isn't contacted.
    package var breaker: Int
    /// Transfers that wait for the origin.
    package var waiting: Int
    package var running: Int
}
