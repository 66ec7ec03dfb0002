import CLinux
import Catalog
import CoreFoundation
import Glibc
import Synchronization

/// Reads and replaces local files.
///
/// Every call blocks, so async code uses ``FileThreads``.
package enum LocalFile {
    package enum Kind: Sendable, Equatable {
        case file, directory, other
    }

    /// Identifies a file or directory on this machine while it exists.
    package struct Identity: Sendable, Hashable {
        let device: UInt64
        let inode: UInt64
    }

    /// Returns whether the path is a directory. Follows symbolic links.
    package static func isDirectory(_ path: String) -> Bool {
        status(of: path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
    }

    /// Follows symbolic links. Nil if the file is missing or can't be reached.
    private static func status(of path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    /// Returns the kind of a directory entry. A link to a directory is `other`, a link to a file is
    /// `file`. A broken link is `file` too, so that reading it reports the error.
    package static func kindOfEntry(_ path: String) -> Kind {
        var status = stat()
        guard lstat(path, &status) == 0 else { return .file }
        let isLink = status.st_mode & S_IFMT == S_IFLNK
        guard !isLink || stat(path, &status) == 0 else { return .file }
        return switch status.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: isLink ? .other : .directory
        default: .other
        }
    }

    /// Returns whether both paths lead to the same existing file or directory.
    package static func isSame(_ left: String, _ right: String) -> Bool {
        identity(left).map { $0 == identity(right) } ?? false
    }

    /// Identifies a file or directory while it exists; nil if it is missing. Follows symbolic links.
    package static func identity(_ path: String) -> Identity? {
        status(of: path).map { Identity(device: UInt64($0.st_dev), inode: UInt64($0.st_ino)) }
    }

    /// Returns a text that differs when the file was written to: its size and the time of its last
    /// change in nanoseconds; nil if it is missing.
    package static func stamp(_ path: String) -> String? {
        status(of: path).map { "\($0.st_size) \($0.st_mtim.tv_sec).\($0.st_mtim.tv_nsec)" }
    }

    /// Returns the names in a directory, without `.` and `..`, sorted by their bytes. Names that are
    /// not UTF-8 have replacement characters.
    package static func names(in directory: String) throws(LocalFileError) -> [String] {
        try entries(in: directory).map(\.name)
    }

    /// Returns the entries of a directory in the order of their names' bytes, without `.` and `..`.
    package static func entries(
        in directory: String
    ) throws(LocalFileError) -> [(name: String, isText: Bool)] {
        guard let stream = opendir(directory) else { throw LocalFileError(directory, "read") }
        defer { closedir(stream) }
        var names: [(name: String, isText: Bool)] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) {
                    let text = String(validatingCString: $0)
                    return (name: text ?? String(cString: $0), isText: text != nil)
                }
            }
            if name.name != ".", name.name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw LocalFileError(directory, "read") }
        return names.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    // Paths are not split by characters: a name may begin with an accent, which makes one character with
    // the slash.
    private static let slash = UInt8(ascii: "/")

    /// Returns a path up to its last slash, with that; empty for a path without one.
    package static func directory(of path: String) -> Substring {
        guard let last = path.utf8.lastIndex(of: slash) else { return "" }
        return path[...last]
    }

    /// Returns the last part of a path; empty if there is none.
    package static func name(of path: String) -> Substring {
        path.utf8.split(separator: slash).last.map { Substring($0) } ?? ""
    }

    /// Returns the first bytes, at most `count`.
    package static func head(_ path: String, count: Int) throws(LocalFileError) -> [UInt8] {
        let descriptor = try open(path, O_RDONLY | O_CLOEXEC, verb: "read")
        defer { close(descriptor) }
        return try bytes(of: descriptor, path: path, atMost: count)
    }

    /// Returns the size of a file in bytes; 0 for a pipe or a missing file, which reading reports.
    package static func size(_ path: String) -> Int {
        status(of: path).map { Int($0.st_size) } ?? 0
    }

    /// Reads a whole file.
    ///
    /// - Parameter setting: the name of the setting that the limit comes from, if any.
    /// - Throws: ``LocalFileError`` if the file can't be read or is larger than `limit` bytes.
    package static func read(
        _ path: String, limit: Int, setting: String? = nil
    ) throws(LocalFileError) -> [UInt8] {
        let descriptor = try open(path, O_RDONLY | O_CLOEXEC, verb: "read")
        defer { close(descriptor) }
        return try all(of: descriptor, path, limit: limit, setting) { _ in true }
    }

    /// Reads a whole file that a setting names. Never waits for a writer, as reading a pipe would.
    ///
    /// - Throws: ``LocalFileError`` as ``read(_:limit:setting:)``, and for what isn't a regular file.
    package static func readRegular(
        _ path: String, limit: Int, setting: String? = nil
    ) throws(LocalFileError) -> [UInt8] {
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let descriptor = try open(path, flags, verb: "read")
        defer { close(descriptor) }
        return try all(of: descriptor, path, limit: limit, setting, where: isReadAtOnce)
    }

    /// Returns the text of a file that holds a secret, without the byte order mark that some editors write
    /// before it and without white space around it.
    ///
    /// - Throws: ``LocalFileError`` as ``readRegular(_:limit:setting:)``.
    static func readSecret(_ path: String) throws(LocalFileError) -> String {
        let bytes = try readRegular(path, limit: 64 << 10)
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
        return String(decoding: text, as: UTF8.self).trimmed
    }

    /// Returns whether a path leads to something that isn't read at once, such as a pipe. A missing
    /// file is none, because reading it reports that.
    package static func isIrregular(_ path: String) -> Bool {
        status(of: path).map { !isReadAtOnce($0) } ?? false
    }

    /// Whether it is a regular file, or `/dev/null`, which stands for an empty one.
    private static func isReadAtOnce(_ status: stat) -> Bool {
        switch status.st_mode & S_IFMT {
        case S_IFREG: true
        case S_IFCHR: status.st_rdev == 0x103
        default: false
        }
    }

    private static func all(
        of descriptor: Int32, _ path: String, limit: Int, _ setting: String?,
        where isRead: (stat) -> Bool
    ) throws(LocalFileError) -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw LocalFileError(path, "read") }
        if status.st_mode & S_IFMT == S_IFDIR {
            throw LocalFileError(path, "read", code: EISDIR)
        }
        guard isRead(status) else { throw LocalFileError(irregular: path) }
        let expected = min(Int(status.st_size), limit) + 1
        var all = try bytes(of: descriptor, path: path, atMost: expected)
        // Pipes and growing files have more bytes than their size says.
        while all.count <= limit {
            let more = try bytes(
                of: descriptor, path: path, atMost: min(1 << 20, limit + 1 - all.count))
            if more.isEmpty { return all }
            all += more
        }
        let bound = setting.map { "\($0) (\(SizeText.print(limit)))" } ?? SizeText.print(limit)
        throw LocalFileError(path, tooLargeFor: bound)
    }

    /// Creates the directory and those above it.
    package static func makeDirectory(_ path: String) throws(LocalFileError) {
        var prefix = path.hasPrefix("/") ? "/" : ""
        for part in path.utf8.split(separator: slash) {
            prefix += "\(Substring(part))/"
            if mkdir(prefix, 0o777) != 0, errno != EEXIST {
                throw LocalFileError(path, "make the directory")
            }
        }
        if !isDirectory(path) {
            throw LocalFileError(path, "make the directory", code: ENOTDIR)
        }
    }

    /// Writes a new file and renames it, so that readers see either the old or the new bytes.
    ///
    /// - Parameter note: kept with the file where the file system can, see ``note(of:)``.
    package static func replace(
        _ path: String, with bytes: [UInt8], note: String? = nil
    ) throws(LocalFileError) {
        // Shorter than the longest name that the file may have.
        let number = stagings.add(1, ordering: .relaxed).newValue
        let staging = "\(directory(of: path)).\(getpid())-\(number).part"
        let descriptor = try open(
            staging, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode: 0o666, verb: "write")
        do throws(LocalFileError) {
            defer { close(descriptor) }
            try write(bytes, to: descriptor, path: staging)
            if let note {
                let text = Array(note.utf8)
                // Without it a later run makes the file again.
                _ = vitrine_set_attribute(descriptor, noteName, text, text.count)
            }
        } catch {
            unlink(staging)
            throw error
        }
        if rename(staging, path) != 0 {
            let error = LocalFileError(path, "write")
            unlink(staging)
            throw error
        }
    }

    /// Renames a file, replacing another.
    package static func move(_ path: String, to other: String) throws(LocalFileError) {
        if rename(path, other) != 0 { throw LocalFileError(other, "write") }
    }

    private static let noteName = "user.vitrine"
    private static let stagings = Atomic(0)

    /// Returns the note that was written with a file; nil without one, or where the file system can't
    /// keep notes.
    package static func note(of path: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = vitrine_get_attribute(path, noteName, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    static func open(_ path: String, _ flags: Int32, mode: mode_t = 0, verb: String)
        throws(LocalFileError) -> Int32
    {
        let descriptor = Glibc.open(path, flags, mode)
        guard descriptor >= 0 else { throw LocalFileError(path, verb) }
        return descriptor
    }

    /// Reads until `count` bytes or the end.
    private static func bytes(of descriptor: Int32, path: String, atMost count: Int)
        throws(LocalFileError) -> [UInt8]
    {
        var failure: LocalFileError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let received = Glibc.read(
                    descriptor, buffer.baseAddress.map { $0 + filled }, count - filled)
                if received > 0 {
                    filled += received
                } else if received == 0 {
                    break
                } else if errno != EINTR {
                    failure = LocalFileError(path, "read")
                    break
                }
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes all bytes.
    ///
    /// - Parameter path: names the descriptor in the error.
    package static func write(
        _ bytes: [UInt8], to descriptor: Int32, path: String
    ) throws(LocalFileError) {
        let code: Int32 = bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                let sent = Glibc.write(
                    descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
                if sent >= 0 {
                    written += sent
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
        if code != 0 { throw LocalFileError(path, "write", code: code) }
    }
}
