import Catalog
import Folders
import FoundationEssentials

/// Reads `folders` of a file of settings.
enum FolderReader {
    static func folders(
        _ node: SourceNode, _ problems: inout [ConfigurationError]
    ) -> [Folder] {
        node.entries("a folder", &problems) { (name, member) throws(ConfigurationError) in
            try folder(name, member)
        }
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
