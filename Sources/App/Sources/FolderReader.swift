import Catalog
import Folders
import FoundationEssentials

/// Reads `folders` of a file of settings.
enum FolderReader {
    /// - Throws: ``ConfigurationError`` with the place of the first mistake.
    static func folders(_ node: SourceNode) throws(ConfigurationError) -> [Folder] {
        var folders: [Folder] = []
        for (name, member) in try node.members() {
            guard SourceNode.isName(name) else {
                throw member.error(
                    "is not a name of a folder; use up to 32 letters a-z, digits and hyphens.")
            }
            guard !SourceReader.reserved.contains(name) else {
                throw member.error("has a name that is taken; choose another than “\(name)”.")
            }
            folders.append(try folder(name, member))
        }
        return folders
    }

    private static func folder(
        _ name: String, _ node: SourceNode
    ) throws(ConfigurationError) -> Folder {
        guard node.isMapping else {
            return Folder(name: name, title: name, path: try path(node))
        }
        let members = try node.members(["path", "title", "hidden", "links", "recheck"])
        guard let place = members["path"] else {
            throw node.error("has no path; name the directory.")
        }
        var folder = Folder(
            name: name, title: try members["title"]?.text() ?? name, path: try path(place))
        folder.showsHidden = try members["hidden"]?.flag() ?? false
        folder.followsLinks = try members["links"]?.flag() ?? false
        if let recheck = members["recheck"] {
            let syntax = ValueSyntax<Double>.seconds(.seconds(1)...ConfigurationKey.day)
            folder.recheck = try recheck.parsed(syntax.expected, syntax.parse)
        }
        return folder
    }

    /// Returns an absolute path without a slash at its end.
    private static func path(_ node: SourceNode) throws(ConfigurationError) -> String {
        let text = try node.text("the path of a directory")
        let absolute =
            text.hasPrefix("/") ? text : "\(FileManager.default.currentDirectoryPath)/\(text)"
        var parts: [Substring] = []
        for part in absolute.split(separator: "/") where part != "." { parts.append(part) }
        return "/" + parts.joined(separator: "/")
    }
}
