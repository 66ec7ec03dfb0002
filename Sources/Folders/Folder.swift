/// A directory whose pictures are shown, and what of it.
package struct Folder: Sendable, Hashable {
    /// First part of its items' names.
    package var name: String
    /// Name for people.
    package var title: String
    /// The directory. It may be a link itself.
    package var path: String
    /// Whether files and directories whose names begin with a dot are shown.
    package var showsHidden = false
    /// Whether symbolic links are followed. They never lead out of the directory.
    package var followsLinks = false
    /// Seconds after which a file that nothing reports as changed is looked at again.
    package var recheck: Double = 60

    package init(name: String, title: String, path: String) {
        self.name = name
        self.title = title
        self.path = path
    }

    /// The longest path and the longest of its parts, in bytes.
    static let longest = (path: 4_000, part: 255)

    /// Returns whether a text can be the path of something that this folder shows: names between
    /// slashes, none of them `.`, `..`, hidden or with control characters.
    package func shows(_ path: String) -> Bool {
        guard (1...Self.longest.path).contains(path.utf8.count) else { return false }
        return Self.parts(path[...]).allSatisfy(showsName)
    }

    func showsName(_ name: Substring) -> Bool {
        guard (1...Self.longest.part).contains(name.utf8.count), name != ".", name != "..",
            showsHidden || name.utf8.first != UInt8(ascii: ".")
        else { return false }
        return name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
    }

    /// Returns the directory of a path, empty for the folder's own, and the name in it.
    package static func split(_ path: String) -> (directory: String, name: String) {
        // Not by characters: a name may begin with an accent, which makes one character with the slash.
        guard let last = path.utf8.lastIndex(of: slash) else { return ("", path) }
        return (String(path[..<last]), String(path[path.utf8.index(after: last)...]))
    }

    /// Returns the names between the slashes of a path.
    static func parts(_ path: Substring) -> [Substring] {
        path.utf8.split(separator: slash, omittingEmptySubsequences: false)
            .map { Substring($0) }
    }

    /// Returns what follows a directory and a slash in a path; nil for a path that is not below it.
    static func rest(of path: String, below directory: String) -> Substring? {
        if directory.isEmpty { return path[...] }
        let beginning = directory.utf8.count
        guard path.utf8.starts(with: directory.utf8),
            path.utf8.dropFirst(beginning).first == slash
        else { return nil }
        return Substring(path.utf8.dropFirst(beginning + 1))
    }

    private static let slash = UInt8(ascii: "/")

    static func joined(_ directory: String, _ name: String) -> String {
        directory.isEmpty ? name : "\(directory)/\(name)"
    }
}
