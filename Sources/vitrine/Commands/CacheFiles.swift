import App
import FoundationEssentials
import Store

/// Functions that the commands on the cache share.
enum CacheFiles {
    /// The limits of the settings.
    static func policy(_ settings: Settings) -> StorePolicy {
        var policy = StorePolicy()
        policy.limits = settings.cache.limits
        policy.limits.maxPinned = Double(settings.cache.maxPinned) / 100
        policy.durability = settings.cache.durability
        return policy
    }

    static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

/// A cache that exists, opened for a command.
struct OpenCache {
    let blobs: BlobStore
    let index: Index
    let userData: UserData
    let upkeep: Upkeep

    init(_ settings: Settings) async throws {
        let directory = settings.cache.directory
        let policy = CacheFiles.policy(settings)
        (blobs, index, userData) = try await FileThreads.run {
            guard LocalFile.isDirectory(directory) else {
                throw CommandError("There is no directory \(directory). Check --cache.")
            }
            return (
                try BlobStore(root: directory, policy: policy), try Index(root: directory),
                try UserData(root: directory)
            )
        }
        upkeep = Upkeep(
            blobs: blobs, index: index, userData: userData,
            forgetAfter: settings.cache.forgetAfter)
    }

    func close() async throws {
        let (index, userData) = (index, userData)
        try await FileThreads.run { () throws(StoreError) in
            try userData.close()
            try index.close()
        }
    }
}
