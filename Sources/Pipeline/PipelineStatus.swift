package import Imaging
package import Memory
package import Store

/// Every gauge and counter of the pipeline, read at one moment. Counters count from the start of the
/// process. Nothing here waits for the disk.
package struct PipelineStatus: Sendable {
    /// Misses in flight.
    package var misses: Int
    /// Misses for requests that have an original in hand, and those that wait for a host or a place.
    package var missLoad: (running: Int, waiting: Int)
    /// The same for catalog pages and items that are looked up.
    package var lookupLoad: (running: Int, waiting: Int)
    /// Decodes.
    package var renderCount: Int
    /// What waits for the render threads, what runs there and what hangs.
    package var renders: RenderLoad
    /// Bytes of memory that libvips keeps track of.
    package var libraryMemory: Int
    /// Pictures in memory, their bytes, and how many were evicted.
    package var memory: (count: Int, bytes: Int, evictions: Int)
    /// Bytes of originals in flight, and how many wait for room.
    package var originals: ByteBudget.Load
    /// Blobs found damaged and set aside.
    package var healCount: Int
    /// Bytes of blobs read for responses: to compare them with their digests, and to send them.
    package var blobBytesRead: (verified: Int, sent: Int)
    /// Originals that brought a renderer down.
    package var quarantineCount: Int
    /// Originals that a process was rendering when it died, and that have not been rendered since.
    package var suspectCount: Int
    /// What the store could not write or read, and what waits for the disk.
    package var storage: StoreStatus
}

/// How an origin stands that was asked lately, under the name that counts of it have.
package struct OriginLoad: Sendable, Equatable {
    package var name: String
    /// 0: it is asked; 1: the next transfer is a probe; 2: it rests, after failures in a row.
    package var breaker: Int
    /// Transfers that wait for a turn.
    package var waiting: Int
    package var running: Int
}
