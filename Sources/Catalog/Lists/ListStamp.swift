import Folders
import Glibc

/// What a list was when its index was made. A list with another stamp is read again.
struct ListStamp: Sendable, Equatable {
    var size: UInt64
    /// Nanoseconds since 1970.
    var modified: UInt64
    var inode: UInt64
    var device: UInt64
    /// Of the columns and the program's form of an index.
    var reading: UInt64

    /// Returns nil if the path is missing or names something other than a file.
    ///
    /// - Parameter reading: ``reading(_:)`` of its columns.
    init?(_ path: String, _ reading: UInt64) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        size = UInt64(status.st_size)
        modified =
            UInt64(max(0, status.st_mtim.tv_sec)) &* 1_000_000_000
            &+ UInt64(status.st_mtim.tv_nsec)
        inode = UInt64(status.st_ino)
        device = UInt64(status.st_dev)
        self.reading = reading
    }

    /// Returns why a path has no stamp, or can't be read, in a sentence.
    static func shortcoming(_ path: String) -> String {
        var status = stat()
        if stat(path, &status) == 0, access(path, R_OK) == 0 {
            return "\(path) is \(FileKind.name(status.st_mode)), not a file."
        }
        return "Can't read \(path): \(String(cString: strerror(errno)))."
    }

    static func reading(_ columns: ListColumns) -> UInt64 {
        let words = [columns.url, columns.id, columns.title].map { $0 ?? "\u{0}" }
        return ListIndex.hash(words.joined(separator: "\u{1}").utf8, 0)
    }

    init(_ words: ArraySlice<UInt64>) {
        let words = Array(words)
        (size, modified, inode) = (words[0], words[1], words[2])
        (device, reading) = (words[3], words[4])
    }

    var words: [UInt64] { [size, modified, inode, device, reading] }
}
