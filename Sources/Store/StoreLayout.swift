import Glibc
import Hashing

/// Everything on disk, as paths:
///
///     <root>/v2/blobs/ab/cd/<64 hex>       blobs under their SHA-256, whole and never changed
///     <root>/v2/staging/                   blobs that are being written and need a name
///     <root>/v2/quarantine/                damaged and misplaced files
///     <root>/v2/index/pictures.sqlite      the index, with SQLite's -wal and -shm beside it
///     <root>/v2/index/reserve              space for transactions that free space on a full disk
///     <root>/v2/index/keepsakes.sqlite     favorites, pins and searches
///     <root>/v2/index/*.damaged-*          damaged databases; a few of each
///     <root>/v2/claims                     locked byte by byte: work that a process does
///     <root>/v2/shared                     small facts of all processes: see ``SharedPage``
///     <root>/v2/uses                       when blobs were last used, roughly
///     <root>/v2/rendering                  originals that each process is rendering, and suspects
///     <root>/v2/index/opening              locked while a process opens the index
///     <root>/v1/                           what an earlier layout left: see ``EarlierLayout``
///     <root>/lists/                        indexes of lists, and copies of those on servers
///
/// A later layout is another `v` directory.
struct StoreLayout: Sendable {
    static let version = 2
    /// For the owner only, as ``FileDescriptor/fileMode``.
    static let directoryMode: mode_t = 0o700

    let root: String
    /// `v2`, under the root.
    let tree: String
    /// The directory in which this process sees its open files.
    var openFiles = "/proc/self/fd"

    /// What earlier layouts left, the newest first.
    var earlier: [EarlierLayout] {
        Errno.optional { () throws(Errno) in try EarlierLayout.all(below: root) } ?? []
    }
    var lists: String { root + "/lists" }
    var blobs: String { tree + "/blobs" }
    var staging: String { tree + "/staging" }
    var quarantine: String { tree + "/quarantine" }
    var index: String { tree + "/index" }
    var database: String { index + "/pictures.sqlite" }
    var reserve: String { index + "/reserve" }
    var userData: String { index + "/keepsakes.sqlite" }
    var rendering: String { tree + "/rendering" }
    var uses: String { tree + "/uses" }
    var claims: String { tree + "/claims" }
    var shared: String { tree + "/shared" }
    var indexLock: String { index + "/opening" }

    /// The directories of the first level, `00` to `ff`.
    static let fans = (UInt8.min...UInt8.max).map { Hex.text(CollectionOfOne($0)) }

    private static let fanSet = Set(fans)

    /// Returns whether a directory of the first or second level may have this name.
    static func isFan(_ name: String) -> Bool { fanSet.contains(name) }

    func blob(_ digest: Digest) -> String {
        let hex = digest.hex
        return "\(blobs)/\(hex.prefix(2))/\(hex.dropFirst(2).prefix(2))/\(hex)"
    }

    /// The first-level directory of a blob.
    func fan(_ digest: Digest) -> String { "\(blobs)/\(Self.fans[Int(digest.words.0 >> 56)])" }

    /// Returns the number of the first-level directory that a path is in; nil if it is elsewhere.
    func fanNumber(of path: String) -> Int? {
        guard path.hasPrefix(blobs + "/") else { return nil }
        let name = path.dropFirst(blobs.utf8.count + 1).prefix(2)
        return Self.isFan(String(name)) ? Int(name, radix: 16) : nil
    }

    /// The directory of a blob.
    func directory(_ digest: Digest) -> String {
        "\(fan(digest))/\(Self.fans[Int(digest.words.0 >> 48 & 0xFF)])"
    }

    /// Returns the path relative to the root.
    func relative(_ path: String) -> String {
        path.hasPrefix(root + "/") ? String(path.dropFirst(root.utf8.count + 1)) : path
    }

    /// Creates missing directories and checks that they are writable. If the policy allows to work from
    /// memory, a full or read-only disk is not an error.
    init(opening root: String, _ policy: StorePolicy = StorePolicy()) throws(StoreError) {
        self.root = Self.absolute(root)
        tree = self.root + "/v\(Self.version)"
        try tolerating(policy) { () throws(Errno) in try Self.makeDirectories(self.root) }
        try refuseNewerLayout()
        // Before anything is made that the earlier version would refuse.
        if earlier.contains(where: \.isInUse) { throw .usedByEarlier(path: self.root) }
        try tolerating(policy) { () throws(Errno) in try makeTree() }
    }

    private func tolerating(
        _ policy: StorePolicy, _ call: () throws(Errno) -> Void
    ) throws(StoreError) {
        do throws(Errno) {
            try call()
        } catch {
            if policy.worksFromMemory, isOutOfOrder(error) { return }
            throw treeError(error)
        }
    }

    /// Creates missing directories and checks that they are writable. Blocks.
    func makeTree() throws(Errno) {
        var failure: Errno?
        for directory in treeDirectories {
            do throws(Errno) {
                try Self.makeDirectories(directory)
                try Errno.check { access(directory, R_OK | W_OK | X_OK) }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// The directories that a cache always has.
    var treeDirectories: [String] { [root, blobs, staging, quarantine, index] }

    /// Returns whether a usable tree is only temporarily not writable. Any other failure means that
    /// the wrong directory was given.
    private func isOutOfOrder(_ error: Errno) -> Bool {
        if error.isFullDisk || error.code == EROFS { return true }
        guard error.code == EACCES || error.code == EPERM else { return false }
        return access(index, R_OK | X_OK) == 0
    }

    private func refuseNewerLayout() throws(StoreError) {
        let names: [String]
        do throws(Errno) {
            names = try directoryNames(root)
        } catch {
            throw treeError(error)
        }
        for name in names.sorted() {
            if let number = Self.number(of: name), number > Self.version {
                throw .unknownLayout(path: root, found: "layout \(name)")
            }
        }
    }

    /// Returns the number of a layout, by the name of its directory; nil for other names.
    static func number(of name: String) -> Int? {
        name.first == "v" ? Int(name.dropFirst()) : nil
    }

    /// Another process may migrate a large database meanwhile.
    private static let longestOpening = Duration.seconds(60)

    /// Runs `body` in one process at a time, so that two processes don't both move a damaged
    /// database aside.
    func withOpeningLock<Value>(
        _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let path = indexLock
        var isHeld = false
        let file = try trying("lock", path) { () throws(Errno) in
            let file = try FileDescriptor(opening: path, O_CREAT | O_RDWR)
            do throws(Errno) {
                isHeld = try !file.lock(waiting: true, for: Self.longestOpening)
            } catch {
                // This filesystem has no locks. SQLite reports that itself.
                if !error.isMissingLocks { throw error }
            }
            return file
        }
        if isHeld { throw .held(path: path) }
        defer { withExtendedLifetime(file) {} }
        return try body()
    }

    /// Creates a missing database with the owner's rights only, and removes the rights of others from
    /// existing files. Call it under the opening lock.
    ///
    /// An existing file is never opened, because closing it would release the locks that SQLite
    /// holds on it in this process.
    func prepareDatabase(_ path: String) throws(StoreError) {
        for name in [path, path + "-wal", path + "-shm"] {
            try trying("open", name) { () throws(Errno) in
                if let status = try fileStatus(name) {
                    guard status.isRegular, status.st_uid == geteuid(), status.st_mode & 0o077 != 0
                    else { return }
                    try Errno.check { chmod(name, FileDescriptor.fileMode) }
                } else if name == path {
                    _ = try FileDescriptor(opening: name, O_CREAT | O_EXCL | O_RDWR)
                }
            }
        }
    }

    /// Returns the names in a directory, unsorted; none if the directory doesn't exist.
    func names(in directory: String) throws(StoreError) -> [String] {
        try trying("list", directory) { () throws(Errno) in try directoryNames(directory) }
    }

    /// Returns the status of the file at a path, without following a symbolic link; nil if there is none.
    func status(of path: String) throws(StoreError) -> stat? {
        try trying("look at", path) { () throws(Errno) in try fileStatus(path) }
    }

    /// Returns the directory of a path.
    static func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }

    /// Like `mkdir -p`.
    static func makeDirectories(_ path: String) throws(Errno) {
        do throws(Errno) {
            try makeDirectory(path)
        } catch {
            guard error.code == ENOENT, let slash = path.lastIndex(of: "/"),
                slash != path.startIndex
            else { throw error }
            try makeDirectories(String(path[..<slash]))
            try makeDirectory(path)
        }
    }

    /// Returns whether it was missing.
    static func makeDirectoryIfMissing(_ path: String) throws(Errno) -> Bool {
        if mkdir(path, directoryMode) == 0 { return true }
        try makeDirectory(path)
        return false
    }

    private static func makeDirectory(_ path: String) throws(Errno) {
        do throws(Errno) {
            try Errno.check { mkdir(path, directoryMode) }
        } catch {
            if error.code != EEXIST { throw error }
            // A symbolic link to a directory is the owner's choice.
            var status = stat()
            try Errno.check { stat(path, &status) }
            if !status.isDirectory { throw Errno(ENOTDIR) }
        }
    }

    /// Returns the absolute path, so that a later change of the working directory doesn't move the
    /// store.
    private static func absolute(_ path: String) -> String {
        var path = path
        while path.count > 1, path.last == "/" { path.removeLast() }
        if path.hasPrefix("/") { return path }
        guard let directory = getcwd(nil, 0) else { return path }
        defer { free(directory) }
        return String(cString: directory) + "/" + path
    }
}
