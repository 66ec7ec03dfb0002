import App
import Console
import Pipeline
import Store
import Threads

/// A cache that exists, opened for a command.
struct OpenCache {
    let blobs: BlobStore
    let index: Index
    let userData: UserData
    let upkeep: Upkeep

    /// Opens the cache of the settings, calls `body`, and closes it in any case.
    static func during<Value>(
        _ settings: Settings, _ body: (OpenCache) async throws -> Value
    ) async throws -> Value {
        let cache = try await OpenCache(settings)
        return try await withEnd(cache.close) { try await body(cache) }
    }

    private init(_ settings: Settings) async throws {
        let directory = settings.cacheDirectory
        var policy = settings.store
        // A failed write throws.
        policy.unsavedBytes = 0
        policy.report = { event in
            if case .unremoved = event { StandardError.shared.line("\(event)") }
        }
        (blobs, index, userData) = try await FileThreads.run { [policy] in
            try settings.checkCache()
            settings.takeRightsOfCache()
            return (
                try BlobStore(root: directory, policy: policy),
                try Index(root: directory, policy: policy),
                try UserData(root: directory, policy: policy)
            )
        }
        let sources = Assembly.sources(settings)
        upkeep = Upkeep(
            blobs: blobs, index: index, userData: userData,
            keptName: { await sources.keptName(of: $0, api: nil) })
    }

    private func close() async throws {
        let (index, userData) = (index, userData)
        try await FileThreads.run { () throws(StoreError) in
            try userData.close()
            try index.close()
        }
    }
}

extension Settings {
    /// Checks that the cache is there, for a command that must not make one. Blocks.
    func checkCache() throws(CommandError) {
        if !LocalFile.isDirectory(cacheDirectory) {
            throw CommandError("Directory \(cacheDirectory) is missing. Check --cache.")
        }
    }
}
