import Catalog
import Folders
import FoundationEssentials

extension SourceNode {
    /// Reads `folders` of a file of settings.
    ///
    /// - Parameter problems: gets the first mistake in each.
    func folders(_ problems: inout [ConfigurationError]) -> [Folder] {
        entries("a folder", &problems) { (name, member) throws(ConfigurationError) in
            try member.folder(name)
        }
    }

    private func folder(_ name: String) throws(ConfigurationError) -> Folder {
        guard isMapping else {
            return Folder(name: name, title: name, path: try absolutePath())
        }
        let members = try self.members(["path", "title", "hidden", "links", "recheck"])
        guard let place = members["path"] else {
            throw error("has no path; name the directory.")
        }
        var folder = Folder(
            name: name, title: try members["title"]?.text() ?? name, path: try place.absolutePath())
        folder.showsHidden = try members["hidden"]?.flag() ?? false
        folder.followsLinks = try members["links"]?.flag() ?? false
        if let recheck = members["recheck"] {
            let syntax = ValueSyntax<Double>.seconds(.seconds(1)...ConfigurationKey.day)
            folder.recheck = try recheck.parsed(syntax.expected, syntax.parse)
        }
        return folder
    }

    /// Returns an absolute path without a slash at its end.
    private func absolutePath() throws(ConfigurationError) -> String {
        let text = try self.text("the path of a directory")
        let absolute =
            text.hasPrefix("/") ? text : "\(FileManager.default.currentDirectoryPath)/\(text)"
        var parts: [Substring] = []
        for part in absolute.split(separator: "/") where part != "." { parts.append(part) }
        return "/" + parts.joined(separator: "/")
    }
}
