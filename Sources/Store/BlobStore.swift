/// Blobs on disk under their digest.
///
/// All methods do their I/O on the store's own threads and suspend the caller.
package final class BlobStore: Sendable {
    /// Opens, or creates, the tree under `root`, and sweeps staging files that a crash left.
    package init(root: String) throws(StoreError) {
        fatalError("seam")
    }

    /// Hashes while writing to a staging file, then publishes it atomically; a blob that is there
    /// already is left alone. After it returns, the blob survives `kill -9`.
    package func put(_ bytes: [UInt8]) async throws(StoreError) -> Digest {
        fatalError("seam")
    }

    /// The verified bytes, or `nil` where there is no such blob. One whose bytes don't match its
    /// name is moved to quarantine first, and then there is none.
    package func load(_ digest: Digest) async throws(StoreError) -> [UInt8]? {
        fatalError("seam")
    }

    /// Whether the blob is there, by name only.
    package func contains(_ digest: Digest) async throws(StoreError) -> Bool {
        fatalError("seam")
    }

    package func remove(_ digest: Digest) async throws(StoreError) {
        fatalError("seam")
    }

    /// Reads every blob; what doesn't match its name is listed and, with `repair`, quarantined.
    package func verify(
        repair: Bool, progress: @Sendable (_ done: Int) -> Void
    ) async throws(StoreError) -> BlobVerification {
        fatalError("seam")
    }

    package func statistics() async throws(StoreError) -> BlobStatistics {
        fatalError("seam")
    }
}

/// What a walk over all blobs found.
package struct BlobVerification: Sendable, Equatable {
    package var blobs = 0
    package var bytes = 0
    package var corrupt: [Digest] = []
    /// Files that don't belong where they are, as paths relative to the root.
    package var strays: [String] = []

    package init() {}
}

/// What lies on disk.
package struct BlobStatistics: Sendable, Equatable {
    package var blobs = 0
    package var bytes = 0
    package var staging = 0
    package var quarantined = 0

    package init() {}
}
