import Threads

/// Files of the image hosts: drawn when first asked for, on a thread for blocking work, and kept in
/// memory up to a bound.
actor PictureStore {
    private let maxBytes: Int
    private var drawn: [String: (files: [[UInt8]], lastUse: UInt64)] = [:]
    /// Equal requests wait for one drawing.
    private var inFlight: [String: Task<[[UInt8]], any Error>] = [:]
    private var bytes = 0
    private var clock: UInt64 = 0
    /// How many pictures were drawn, for tests.
    private(set) var drawings = 0

    init(maxBytes: Int) {
        self.maxBytes = maxBytes
    }

    /// The files of one drawing, which `key` alone decides: usually one, several where a picture
    /// comes in several sizes.
    func files(
        _ key: String, draw: @escaping @Sendable () throws -> [[UInt8]]
    ) async throws -> [[UInt8]] {
        clock += 1
        if let found = drawn[key]?.files {
            drawn[key]?.lastUse = clock
            return found
        }
        if let task = inFlight[key] { return try await task.value }
        drawings += 1
        let task = Task {
            try await FileThreads.run { try draw() }
        }
        inFlight[key] = task
        defer { inFlight[key] = nil }
        let files = try await task.value
        drawn[key] = (files, clock)
        bytes += Self.count(files)
        evict()
        return files
    }

    /// Drops what was not used for longest until the bound holds.
    private func evict() {
        while bytes > maxBytes,
            let oldest = drawn.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            bytes -= Self.count(oldest.value.files)
            drawn[oldest.key] = nil
        }
    }

    private static func count(_ files: [[UInt8]]) -> Int {
        files.reduce(0) { $0 + $1.count }
    }
}
