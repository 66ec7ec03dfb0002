import Glibc

/// What the index's files looked like at one moment. While they look the same, no process has
/// changed a row.
package struct IndexMark: Sendable, Equatable {
    private let file: FileStamp?
    private let log: FileStamp?

    fileprivate init?(_ layout: StoreLayout, at now: Int) {
        file = Self.stamp(layout.database)
        log = Self.stamp(layout.database + "-wal")
        // A change in the same tick of the file system's clock wouldn't show.
        for stamp in [file, log] { if stamp?.isSettled(at: now) == false { return nil } }
    }

    private static func stamp(_ path: String) -> FileStamp? {
        guard let status = Errno.optional({ () throws(Errno) in try fileStatus(path) }) else {
            return nil
        }
        return status.map(FileStamp.init)
    }
}

extension Index {
    /// What the index's files look like now; nil if a change from now on might not show. Costs two
    /// `lstat`. Any thread.
    package var mark: IndexMark? { mark(at: FileStamp.now()) }

    /// - Parameter now: nanoseconds since 1970 of the file systems' clock.
    package func mark(at now: Int) -> IndexMark? {
        // Rows in memory are in no file.
        if let unsaved, !unsaved.isEmpty { return nil }
        return IndexMark(layout, at: now)
    }
}
