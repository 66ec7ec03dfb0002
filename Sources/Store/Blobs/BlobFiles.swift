import Glibc
import Hashing
import Synchronization

/// Reads and writes single blobs with blocking calls. Async code uses ``BlobStore``.
final class BlobFiles: Sendable {
    /// Far above any picture, so that a file that grew by damage isn't read into memory.
    static let maxBytes = 1 << 30
    /// Bytes that are read and hashed at a time.
    static let chunk = 256 << 10
    /// How often a file in the place of a blob is moved away, or a directory that vanished is made
    /// again, before `put` fails.
    private static let maxAttempts = 4

    let layout: StoreLayout
    let quarantine: Quarantine
    let space: DiskSpace
    private let durability: Durability
    private let method: Mutex<StagingMethod>

    init(layout: StoreLayout, staging: StagingMethod, _ policy: StorePolicy = StorePolicy()) {
        self.layout = layout
        space = DiskSpace(layout, policy.limits)
        quarantine = Quarantine(layout: layout, ledger: space.ledger)
        durability = policy.durability
        method = Mutex(staging)
    }

    /// - Throws: ``StoreError/overBudget(path:needed:)`` before anything is written.
    func put(_ bytes: [UInt8]) throws(StoreError) -> Digest {
        if bytes.count > Self.maxBytes {
            throw .inputOutput(path: layout.blobs, operation: "write", code: EFBIG)
        }
        let digest = Digest(of: bytes)
        for _ in 0..<Self.maxAttempts {
            // An existing blob needs no staging file.
            if try holds(digest, byteCount: bytes.count) { return digest }
            let place = Ledger.Place(digest)
            try space.admit(bytes.count, to: place)
            let outcome: Outcome
            do throws(StoreError) {
                outcome = try attempt(bytes, digest, method.withLock { $0 })
            } catch {
                space.release(bytes.count, from: place)
                if case .diskFull = error { space.forgetSpace() }
                throw error
            }
            if outcome == .published { return digest }
            space.release(bytes.count, from: place)
            if outcome == .unsupported { method.withLock { $0 = .named } }
        }
        throw .inputOutput(path: layout.blobs, operation: "publish", code: EEXIST)
    }

    private enum Outcome {
        case published
        /// Another file has the blob's name.
        case occupied
        /// This filesystem has no anonymous files.
        case unsupported
    }

    private func attempt(
        _ bytes: [UInt8], _ digest: Digest, _ method: StagingMethod
    ) throws(StoreError) -> Outcome {
        do throws(Errno) {
            var file = try StagingFile(in: layout, method)
            try file.write(bytes[...])
            if durability == .power { try file.synchronize() }
            for _ in 0..<Self.maxAttempts {
                switch try file.publish(as: layout.blob(digest)) {
                case .published:
                    if durability == .power { try synchronizeDirectory(of: digest) }
                    return .published
                case .occupied: return .occupied
                // Eviction removes empty directories.
                case .noDirectory: try makeDirectories(for: digest)
                }
            }
            throw Errno(ENOENT)
        } catch {
            if method == .anonymous, StagingFile.isUnsupported(error) { return .unsupported }
            throw layout.error(error, "write a blob to", layout.blobs)
        }
    }

    /// Makes the directories of a blob on first use.
    private func makeDirectories(for digest: Digest) throws(Errno) {
        let fan = layout.fan(digest)
        var made = 0
        for path in [fan, layout.directory(digest)]
        where try StoreLayout.makeDirectoryIfMissing(path) { made += 1 }
        if made > 0 { space.note(directories: made, in: Ledger.Place(digest)) }
        if durability == .power {
            try FileDescriptor(opening: layout.blobs, O_RDONLY).synchronize()
            try FileDescriptor(opening: fan, O_RDONLY).synchronize()
        }
    }

    private func synchronizeDirectory(of digest: Digest) throws(Errno) {
        try FileDescriptor(opening: layout.directory(digest), O_RDONLY).synchronize()
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
            let size = try fileStatus(path)?.st_size ?? 0
            try Errno.check { unlink(path) }
            space.release(Int(size), from: Ledger.Place(digest))
        } catch {
            switch error.code {
            case ENOENT: return
            case EISDIR: try quarantine.take(path)
            default: throw layout.error(error, "remove", path)
            }
        }
        removeEmptyDirectories(of: digest)
    }

    /// Removes the directories of a blob that was the last in them. Others stay.
    private func removeEmptyDirectories(of digest: Digest) {
        var removed = 0
        for path in [layout.directory(digest), layout.fan(digest)] {
            if rmdir(path) != 0 { break }
            removed += 1
        }
        if removed > 0 { space.note(directories: -removed, in: Ledger.Place(digest)) }
    }
}

extension Ledger.Place {
    /// The first-level directory of a blob.
    init(_ digest: Digest) { self = .fan(Int(digest.words.0 >> 56)) }
}
