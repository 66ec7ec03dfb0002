import Glibc

/// The files that a database was opened from. SQLite writes on into files whose names were removed or given to
/// others, and then nothing of that is found again.
struct DatabaseFiles: Sendable {
    private struct File: Equatable {
        var device: dev_t
        var inode: ino_t
    }

    private let path: String
    private let database: File?
    private let log: File?

    /// Reads which files have the names now. Blocks.
    init(at path: String) {
        self.path = path
        database = Self.file(path)
        log = Self.file(path + "-wal")
    }

    var inode: ino_t? { database?.inode }

    /// Whether the files still have their names. True if that can't be asked. Two system calls.
    var areInPlace: Bool {
        for (known, name) in [(database, path), (log, path + "-wal")] {
            guard let known else { continue }
            do throws(Errno) {
                guard let status = try fileStatus(name),
                    File(device: status.st_dev, inode: status.st_ino) == known
                else { return false }
            } catch {
                // The disk is away, or its directory is closed.
            }
        }
        return true
    }

    private static func file(_ path: String) -> File? {
        let status = Errno.optional { () throws(Errno) in try fileStatus(path) } ?? nil
        return status.map { File(device: $0.st_dev, inode: $0.st_ino) }
    }
}
