import Glibc
import Synchronization

/// Walks over the directories of blobs in turns, a few at a time, and returns what they hold.
/// Digests spread evenly, so a directory is a fair sample of all blobs.
final class BlobSample: Sendable {
    /// A file among the blobs.
    struct Found: Sendable, Equatable {
        var digest: Digest
        /// Size of the file.
        var byteCount: Int
        /// Seconds since 1970 when it was written.
        var writtenAt: Int
    }

    /// Limit of the blobs of a directory. The rest is found in the next round.
    private static let maxFound = 4_096

    private let layout: StoreLayout
    /// The first- and second-level directory that come next.
    private let next: Mutex<(Int, Int)>

    /// - Parameter start: the first directory, so that processes don't look at the same ones.
    init(_ layout: StoreLayout, start: Int = .random(in: 0..<256)) {
        self.layout = layout
        next = Mutex((start, 0))
    }

    /// Returns the blobs of the next directories, at least `count` unless there are fewer. Blocks.
    func take(_ count: Int) throws(StoreError) -> [Found] {
        var found: [Found] = []
        var seen: Set<Digest> = []
        var position = next.withLock { $0 }
        let fans = try names(layout.blobs)
        guard !fans.isEmpty else { return [] }
        // Ends in the directory where it began, which it may have seen in part.
        for _ in 0...fans.count where found.count < count {
            let fan = fans.first { $0 >= position.0 } ?? fans[0]
            if fan != position.0 { position = (fan, 0) }
            let top = layout.blobs + "/" + StoreLayout.fans[fan]
            for second in try names(top) where second >= position.1 && found.count < count {
                found += try blobs(top + "/" + StoreLayout.fans[second])
                    .filter { seen.insert($0.digest).inserted }
                position.1 = second + 1
            }
            if found.count < count { position = (fan + 1, 0) }
        }
        next.withLock { [position] next in next = position }
        return found
    }

    /// Returns the blobs of one second-level directory.
    func blobs(_ directory: String) throws(StoreError) -> [Found] {
        let names = try layout.trying("list", directory) { () throws(Errno) in
            try directoryNames(directory)
        }
        var found: [Found] = []
        for name in names.prefix(Self.maxFound) {
            let path = directory + "/" + name
            guard let digest = Digest(hex: name), layout.blob(digest) == path else { continue }
            let status = try layout.trying("look at", path) { () throws(Errno) in
                try fileStatus(path)
            }
            guard let status, status.isRegular else { continue }
            found.append(
                Found(
                    digest: digest, byteCount: Int(status.st_size),
                    writtenAt: status.st_mtim.tv_sec))
        }
        return found
    }

    /// Returns the numbers of the directories in one, in order.
    private func names(_ path: String) throws(StoreError) -> [Int] {
        try layout.trying("list", path) { () throws(Errno) in try directoryNames(path) }
            .filter(StoreLayout.isFan).compactMap { Int($0, radix: 16) }.sorted()
    }
}
