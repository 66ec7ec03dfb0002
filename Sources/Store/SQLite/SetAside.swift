import Glibc

/// Renames a damaged database, so that a person can inspect it.
struct SetAside {
    /// Limit of files kept per database, so that a failing disk doesn't fill up with them.
    static let capacity = 3
    static let mark = ".damaged-"
    /// What is appended to the name of an empty file: the rows of that database were copied.
    private static let salvaged = "-salvaged"
    private static let suffixes = ["-wal", "-shm", salvaged]

    let layout: StoreLayout

    /// Returns the new path; nil if `path` has no file, or one with another inode because another
    /// process was faster. Call it under ``StoreLayout/withOpeningLock(_:)``.
    func take(_ path: String, inode: ino_t? = nil) throws(StoreError) -> String? {
        guard let status = try layout.status(of: path), inode == nil || status.st_ino == inode
        else { return nil }
        let target = path + Self.mark + uniqueName()
        // The log is moved first, because SQLite would replay it into the new database.
        for suffix in ["-wal", "-shm", ""] {
            _ = try layout.trying("set aside", path + suffix) { () throws(Errno) in
                try Errno.unlessMissing { rename(path + suffix, target + suffix) }
            }
        }
        try trim(path)
        return target
    }

    /// Returns whether an index was set aside within the last hour, at `now` in seconds since 1970.
    /// Its rows may still be on their way into the new one.
    func isRecentForIndex(at now: Int) throws(StoreError) -> Bool {
        try layout.names(in: layout.index).contains { isRecent($0, of: layout.database, at: now) }
    }

    private func isRecent(_ name: String, of path: String, at now: Int) -> Bool {
        let prefix = (path.split(separator: "/").last.map(String.init) ?? "") + Self.mark
        guard name.hasPrefix(prefix) else { return false }
        let digits = name.dropFirst(prefix.count).prefix { $0.isNumber }
        guard let nanoseconds = Int(digits) else { return false }
        return abs(now - nanoseconds / 1_000_000_000) < 3_600
    }

    /// Returns the file of a database that was set aside last, if that was within the last hour and its rows were
    /// not copied yet. Afterward the blobs of an index may be gone.
    func unsalvaged(_ path: String, at now: Int = Int(time(nil))) -> String? {
        let names = Set(
            Errno.optional { () throws(Errno) in try directoryNames(layout.index) } ?? [])
        let last = names.filter { name in
            isRecent(name, of: path, at: now)
                && !Self.suffixes.contains(where: name.hasSuffix)
        }.max()
        guard let last, !names.contains(last + Self.salvaged) else { return nil }
        return "\(layout.index)/\(last)"
    }

    /// Notes that the rows of a file were copied, or that they can't be.
    func noteSalvaged(_ path: String) {
        _ = Errno.optional { () throws(Errno) in
            try FileDescriptor(opening: path + Self.salvaged, O_CREAT | O_WRONLY)
        }
    }

    /// Notes that no rows of an index are to be copied any more: the cache was emptied.
    func endSalvage() {
        while let path = unsalvaged(layout.database) {
            noteSalvaged(path)
            // On a full disk the note can't be made.
            if unsalvaged(layout.database) == path { return }
        }
    }

    /// Removes the oldest files. Their names begin with the time.
    private func trim(_ path: String) throws(StoreError) {
        let database = path.split(separator: "/").last.map(String.init) ?? path
        let directory = layout.index
        let databases = try layout.names(in: directory).filter { name in
            name.hasPrefix(database + Self.mark) && !Self.suffixes.contains(where: name.hasSuffix)
        }
        for old in databases.sorted().dropLast(Self.capacity) {
            for suffix in Self.suffixes + [""] {
                let path = "\(directory)/\(old)\(suffix)"
                _ = try layout.trying("remove", path) { () throws(Errno) in
                    try Errno.unlessMissing { unlink(path) }
                }
            }
        }
    }
}
