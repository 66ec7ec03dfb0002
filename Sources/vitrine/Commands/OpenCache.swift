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

    init(_ settings: Settings) async throws {
        let directory = settings.cache.directory
        let policy = settings.storePolicy
        (blobs, index, userData) = try await FileThreads.run {
            guard LocalFile.isDirectory(directory) else {
                throw CommandError("Directory \(directory) is missing. Check --cache.")
            }
            return (
                try BlobStore(root: directory, policy: policy),
                try Index(root: directory, policy: policy),
                try UserData(root: directory, policy: policy)
            )
        }
        upkeep = Upkeep(
            blobs: blobs, index: index, userData: userData)
        let sources = Assembly.sources(settings)
        upkeep.nameItems(of: { sources }, api: nil)
    }

    func close() async throws {
        let (index, userData) = (index, userData)
        try await FileThreads.run { () throws(StoreError) in
            try userData.close()
            try index.close()
        }
    }
}
