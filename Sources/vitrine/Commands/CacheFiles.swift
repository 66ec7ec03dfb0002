import App
import FoundationEssentials
import Store

/// Functions that the commands on the cache share.
enum CacheFiles {
    /// Opens the cache in a directory. The directory must exist, because reading a cache doesn't
    /// create one.
    static func open(_ directory: String) async throws -> (blobs: BlobStore, index: Index) {
        try await FileThreads.run {
            guard LocalFile.isDirectory(directory) else {
                throw CommandError("There is no directory \(directory). Check --cache.")
            }
            return (try BlobStore(root: directory), try Index(root: directory))
        }
    }

    static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
