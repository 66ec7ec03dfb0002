import CLinux
import Glibc

/// The files of a folder. No path leads out of it. Every call blocks on the disk, so async code uses
/// ``FileThreads``.
package struct FolderTree: Sendable {
    package let folder: Folder

    package init(_ folder: Folder) { self.folder = folder }

    /// Returns the attributes of a file.
    package func look(_ path: String) throws(FolderError) -> FileFacts {
        guard folder.shows(path) else { throw .notFound }
        let place = try beneath(path, vitrine_path_flag())
        defer { close(place.descriptor) }
        guard place.status.isRegular else { throw .notFound }
        return place.facts
    }

    /// Opens a file. Nothing but a regular file is ever opened: opening a device may have effects, and
    /// opening a pipe may wait.
    package func open(_ path: String) throws(FolderError) -> FolderFile {
        _ = try look(path)
        let place = try beneath(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        let file = FolderFile(place.descriptor, place.facts)
        guard place.status.isRegular else { throw .notFound }
        return file
    }

    /// Something below the folder that was opened.
    struct Place {
        var descriptor: CInt
        var status: stat
        var isBehindLink: Bool

        var facts: FileFacts { FileFacts(status, isBehindLink: isBehindLink) }
    }

    /// Opens the folder or something below it. An empty path is the folder itself.
    func beneath(_ path: String, _ flags: Int32) throws(FolderError) -> Place {
        let root = Glibc.open(folder.path, vitrine_path_flag() | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else {
            throw .noFolder(name: folder.name, reason: String(cString: strerror(errno)))
        }
        defer { close(root) }
        let path = path.isEmpty ? "." : path
        var isBehindLink = false
        var descriptor = Self.opened(root, path, flags, links: false)
        if descriptor < 0, errno == ELOOP, folder.followsLinks {
            isBehindLink = true
            descriptor = Self.opened(root, path, flags, links: true)
        }
        guard descriptor >= 0 else { throw Self.error(errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let code = errno
            close(descriptor)
            throw Self.error(code)
        }
        return Place(descriptor: descriptor, status: status, isBehindLink: isBehindLink)
    }

    private static func opened(_ root: CInt, _ path: String, _ flags: Int32, links: Bool) -> CInt {
        // The kernel asks for another try if something was renamed meanwhile.
        for _ in 0..<16 {
            let descriptor = vitrine_open_beneath(root, path, flags, links)
            if descriptor >= 0 || (errno != EAGAIN && errno != EINTR) { return descriptor }
        }
        return -1
    }

    private static func error(_ code: Int32) -> FolderError {
        switch code {
        case ENOENT, ENOTDIR, ELOOP, EXDEV, ENAMETOOLONG, ENXIO, ENODEV: .notFound
        case ENOSYS, EINVAL: .unsupported
        case EAGAIN: .busy
        default: .unreadable(reason: String(cString: strerror(code)))
        }
    }

    // MARK: - Directories

    /// Returns whether an entry is a file or a directory; nil if only looking at it tells.
    private static func isFile(_ type: UInt8) -> Bool? {
        switch Int(type) {
        case Int(DT_REG): true
        case Int(DT_DIR): false
        default: nil
        }
    }

    /// Returns what a directory has, sorted by name. Names that are not UTF-8 can't be requested, so
    /// that they are left out.
    ///
    /// - Parameter withTimes: whether each file is looked at for its time, which takes most of the work.
    func list(_ directory: String, withTimes: Bool = false) throws(FolderError) -> DirectoryList {
        guard directory.isEmpty || folder.shows(directory) else { throw .notFound }
        let place = try beneath(directory, O_RDONLY | O_DIRECTORY | O_NONBLOCK)
        guard let stream = fdopendir(place.descriptor) else {
            close(place.descriptor)
            throw .unreadable(reason: String(cString: strerror(errno)))
        }
        defer { closedir(stream) }
        var list = DirectoryList(facts: place.facts, hasTimes: withTimes)
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) {
                    String(validatingCString: $0)
                }
            }
            guard let name, folder.showsName(name[...]) else { continue }
            if !withTimes, let isFile = Self.isFile(entry.pointee.d_type) {
                if isFile {
                    list.files.append(.init(name: name, modified: 0))
                } else {
                    list.directories.append(name)
                }
                continue
            }
            var status = stat()
            guard fstatat(place.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
                continue
            }
            if status.isLink {
                guard folder.followsLinks,
                    let target = try? beneath(
                        Folder.joined(directory, name), vitrine_path_flag())
                else { continue }
                status = target.status
                close(target.descriptor)
                if status.isDirectory { list.linkedDirectories.insert(ExactText(name)) }
            }
            if status.isDirectory {
                list.directories.append(name)
            } else if status.isRegular {
                list.files.append(.init(name: name, modified: FileFacts(status).modified))
            }
        }
        if errno != 0 { throw .unreadable(reason: String(cString: strerror(errno))) }
        list.files.sort { ExactText.precedes($0.name, $1.name) }
        list.directories.sort(by: ExactText.precedes)
        return list
    }
}

/// The entries of a directory that a folder shows.
struct DirectoryList: Sendable {
    struct File: Sendable {
        var name: String
        /// Nanoseconds since 1970; 0 in a list without times.
        var modified: Int
    }

    /// Of the directory itself.
    let facts: FileFacts
    let hasTimes: Bool
    /// Sorted by name.
    var files: [File] = []
    var directories: [String] = []
    /// Those among them that are links.
    var linkedDirectories: Set<ExactText> = []

    /// Of files and directories.
    var count: Int { files.count + directories.count }

    init(facts: FileFacts, hasTimes: Bool) {
        self.facts = facts
        self.hasTimes = hasTimes
    }

    /// The files, the last changed first.
    var byTime: [File] {
        files.sorted {
            $0.modified == $1.modified
                ? ExactText.precedes($0.name, $1.name) : $1.modified < $0.modified
        }
    }
}
