import Glibc

/// Errors of files and directories below the root, with what a person needs to mend them.
extension StoreLayout {
    /// Converts the failure of a call on one file. Only what a disk says of itself is a failure of the disk.
    func error(_ cause: Errno, _ operation: String, _ path: String) -> StoreError {
        if cause.isFullDisk { return .diskFull(path: root) }
        switch cause.code {
        case EROFS where isOnReadOnlyDisk: return .unusable(path: root, reason: cause.reason)
        case EACCES, EPERM, ENOTDIR, ELOOP: return barred(cause, operation, path)
        case EMFILE, ENFILE: return .tooManyFiles
        default: return .inputOutput(path: path, operation: operation, code: cause.code)
        }
    }

    /// Runs a call on one file and converts its failure.
    func trying<Result: ~Copyable>(
        _ operation: String, _ path: String, _ call: () throws(Errno) -> Result
    ) throws(StoreError) -> Result {
        do throws(Errno) {
            return try call()
        } catch {
            throw self.error(error, operation, path)
        }
    }

    /// Converts the failure to make or use one of ``treeDirectories``. The cache needs all of them.
    func treeError(_ cause: Errno) -> StoreError {
        if cause.isFullDisk { return .diskFull(path: root) }
        let bad = treeDirectories.first { access($0, R_OK | W_OK | X_OK) != 0 && errno != ENOENT }
        if let bad, bad != root, cause.code != EROFS { return error(cause, "use", bad) }
        guard let owner = Self.owner(of: root), owner != geteuid() else {
            return .unusable(path: root, reason: cause.reason)
        }
        return .unusable(
            path: root,
            reason: "\(cause.reason) (it belongs to \(Account.name(owner)), and this program runs "
                + "as \(Account.name(geteuid())))")
    }

    /// Converts the failure of SQLite to open or write a database.
    func databaseError(_ path: String, reason: String) -> StoreError {
        for name in [path, path + "-wal", path + "-shm"] {
            if access(name, R_OK | W_OK) != 0, errno != ENOENT {
                return error(Errno(errno), "write", name)
            }
        }
        if access(index, R_OK | W_OK | X_OK) != 0 { return treeError(Errno(errno)) }
        return .unusable(path: root, reason: reason)
    }

    /// Returns the failure of a file in whose place something else is.
    func notAFile(_ path: String, _ what: String) -> StoreError {
        let whose = Self.owner(of: path).map { " It belongs to \(Account.name($0))." } ?? ""
        return .barred(path: path, operation: "open", reason: "\(what).\(whose) Remove it.")
    }

    private var isOnReadOnlyDisk: Bool {
        var status = statvfs()
        return statvfs(tree, &status) != 0 || status.f_flag & UInt(ST_RDONLY) != 0
    }

    private func barred(_ cause: Errno, _ operation: String, _ path: String) -> StoreError {
        let culprit = culprit(of: path)
        return .barred(
            path: culprit, operation: operation, reason: Self.reason(cause, culprit),
            isAboveAll: [root, tree, blobs].contains(culprit))
    }

    /// Returns the first place on the way to a path that is not a directory or that this process may not enter;
    /// the path itself if there is none.
    private func culprit(of path: String) -> String {
        let below = relative(path)
        guard below != path else { return path }
        var place = root
        for name in below.split(separator: "/") {
            var status = stat()
            guard stat(place, &status) == 0 else { return place }
            if !status.isDirectory || access(place, X_OK) != 0 { return place }
            let next = place + "/" + name
            // The last directory that is there has to take what is missing in it.
            if lstat(next, &status) != 0 { return access(place, W_OK) == 0 ? next : place }
            place = next
        }
        if access(path, R_OK) != 0 { return path }
        let parent = Self.parent(of: path)
        return access(parent, W_OK) == 0 ? path : parent
    }

    private static func owner(of path: String) -> uid_t? {
        (Errno.optional { () throws(Errno) in try fileStatus(path) } ?? nil)?.st_uid
    }

    /// Says whose a file or directory is, and what to do.
    private static func reason(_ cause: Errno, _ path: String) -> String {
        let found = Errno.optional { () throws(Errno) in try fileStatus(path) } ?? nil
        guard let found else { return "\(cause.reason). Check the rights of what is above it." }
        let (owner, own) = (Account.name(found.st_uid), Account.name(geteuid()))
        let mode = String(found.st_mode & 0o7777, radix: 8)
        let whose = "It belongs to \(owner) (mode \(mode)), and this program runs as \(own)."
        let what =
            if cause.code == EPERM, found.st_uid == geteuid() || geteuid() == 0 {
                "It may be immutable: chattr -i -a \(path)"
            } else if found.st_uid == geteuid() {
                "Give its owner all rights: chmod u+rwX \(path)"
            } else {
                "Run it as \(owner), with sudo -u \(owner) before it, or change the owner: chown -R \(own) "
                    + path
            }
        switch cause.code {
        case ENOTDIR, ELOOP:
            return "\(cause.reason). It belongs to \(owner). Remove it, or run "
                + "`vitrine cache verify --repair`."
        default: return "\(cause.reason). \(whose) \(what)"
        }
    }
}
