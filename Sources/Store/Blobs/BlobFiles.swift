import Glibc
import Hashing
import Synchronization

/// Reads and writes single blobs with blocking calls. Async code uses ``BlobStore``.
final class BlobFiles: Sendable {
    /// Far above any picture, so that a file that grew by damage isn't read into memory.
    static let maxBytes = 1 << 30
    /// Bytes that are hashed and then written while they are in the processor's cache.
    static let chunk = 256 << 10
    /// How often a file in the place of a blob is moved away before `put` fails.
    private static let maxAttempts = 4

    let layout: StoreLayout
    let quarantine: Quarantine
    private let method: Mutex<StagingMethod>

    init(layout: StoreLayout, staging: StagingMethod) {
        self.layout = layout
        quarantine = Quarantine(layout: layout)
        method = Mutex(staging)
    }

    func put(_ bytes: [UInt8]) throws(StoreError) -> Digest {
        if bytes.count > Self.maxBytes {
            throw .inputOutput(path: layout.blobs, operation: "write", code: EFBIG)
        }
        for _ in 0..<Self.maxAttempts {
            switch try attempt(bytes, method.withLock { $0 }) {
            case .there(let digest): return digest
            case .occupied: continue
            case .unsupported: method.withLock { $0 = .named }
            }
        }
        throw .inputOutput(path: layout.blobs, operation: "publish", code: EEXIST)
    }

    private enum Outcome {
        case there(Digest)
        /// Another file had the blob's name. It is in quarantine now.
        case occupied
        /// This filesystem has no anonymous files.
        case unsupported
    }

    private func attempt(
        _ bytes: [UInt8], _ method: StagingMethod
    ) throws(StoreError) -> Outcome {
        var rest = bytes[...]
        var hasher = SHA256()
        func hashNext() -> ArraySlice<UInt8> {
            let chunk = rest.prefix(Self.chunk)
            rest = rest.dropFirst(Self.chunk)
            chunk.withUnsafeBytes { hasher.update($0) }
            return chunk
        }

        let first = hashNext()
        // Most blobs are one chunk. An existing blob then needs no staging file.
        if rest.isEmpty {
            let digest = Digest(hasher)
            if try holds(digest, byteCount: bytes.count) { return .there(digest) }
        }
        let digest: Digest
        do throws(Errno) {
            var file = try StagingFile(in: layout, method)
            try file.write(first)
            while !rest.isEmpty { try file.write(hashNext()) }
            digest = Digest(hasher)
            if try file.publish(as: layout.blob(digest)) { return .there(digest) }
        } catch {
            if method == .anonymous, StagingFile.isUnsupported(error) { return .unsupported }
            throw layout.error(error, "write a blob to", layout.blobs)
        }
        return try holds(digest, byteCount: bytes.count) ? .there(digest) : .occupied
    }

    /// Returns whether a blob of that size exists. Any other file of its name is quarantined.
    private func holds(_ digest: Digest, byteCount: Int) throws(StoreError) -> Bool {
        let path = layout.blob(digest)
        let status = try layout.trying("look at", path) { () throws(Errno) in
            try fileStatus(path)
        }
        guard let status else { return false }
        if status.isRegular, status.st_size == byteCount { return true }
        try quarantine.take(path, inode: status.st_ino)
        return false
    }

    func load(_ digest: Digest) throws(StoreError) -> [UInt8]? {
        switch try read(digest) {
        case .whole(let bytes):
            return bytes
        case .missing:
            return nil
        case .damaged(let inode):
            try quarantine.take(layout.blob(digest), inode: inode)
            return nil
        }
    }

    enum Reading {
        case whole([UInt8])
        case missing
        /// The bytes don't match the digest. The inode is nil if the file couldn't be opened.
        case damaged(inode: ino_t?)
    }

    /// Reads and verifies a blob without changing anything.
    func read(_ digest: Digest) throws(StoreError) -> Reading {
        let path = layout.blob(digest)
        var inode: ino_t?
        do throws(Errno) {
            let file = try FileDescriptor(opening: path, O_RDONLY)
            let status = try file.status()
            inode = status.st_ino
            guard status.isRegular, status.st_size <= Self.maxBytes else {
                return .damaged(inode: inode)
            }
            let bytes = try file.read(Int(status.st_size))
            return Digest(of: bytes) == digest ? .whole(bytes) : .damaged(inode: inode)
        } catch {
            switch error.code {
            case ENOENT: return .missing
            // A symbolic link, a socket, or an unreadable sector.
            case ELOOP, ENXIO, EIO: return .damaged(inode: inode)
            default: throw layout.error(error, "read", path)
            }
        }
    }

    /// Returns the size of the blob's file; nil if it is not a regular file.
    func byteCount(_ digest: Digest) throws(StoreError) -> Int? {
        let path = layout.blob(digest)
        let status = try layout.trying("look at", path) { () throws(Errno) in
            try fileStatus(path)
        }
        return status.flatMap { $0.isRegular ? Int($0.st_size) : nil }
    }

    func contains(_ digest: Digest) throws(StoreError) -> Bool {
        let path = layout.blob(digest)
        return try layout.trying("look at", path) { () throws(Errno) in
            try fileStatus(path) != nil
        }
    }

    func remove(_ digest: Digest) throws(StoreError) {
        let path = layout.blob(digest)
        do throws(Errno) {
            try Errno.check { unlink(path) }
        } catch {
            switch error.code {
            case ENOENT: return
            case EISDIR: try quarantine.take(path)
            default: throw layout.error(error, "remove", path)
            }
        }
    }
}
