import Catalog
import FoundationEssentials

extension SourceNode {
    /// Reads `lists` of a file of settings.
    ///
    /// - Parameter problems: gets the first mistake in each.
    func lists(_ problems: inout [ConfigurationError]) -> [ListDefinition] {
        entries("a list", &problems) { (name, member) throws(ConfigurationError) in
            try member.list(name)
        }
    }

    private func list(_ name: String) throws(ConfigurationError) -> ListDefinition {
        guard isMapping else {
            return ListDefinition(name: name, title: name, place: try place())
        }
        let members = try self.members([
            "file", "title", "urlColumn", "idColumn", "titleColumn", "rights", "shape",
        ])
        guard let file = members["file"] else {
            throw error("has no file; name the list, such as file: posters.csv.")
        }
        var list = ListDefinition(
            name: name, title: try members["title"]?.text() ?? name, place: try file.place())
        list.columns.url = try members["urlColumn"]?.text()
        list.columns.id = try members["idColumn"]?.text()
        list.columns.title = try members["titleColumn"]?.text()
        list.rights = try members["rights"]?.text()
        if let shape = members["shape"] { list.shape = try SourceReader.shape(shape) }
        return list
    }

    /// Returns a URL, or an absolute path.
    private func place() throws(ConfigurationError) -> String {
        let text = try self.text("the path or the URL of a list")
        if text.contains("://") {
            // The sentence below says it of a setting.
            guard (try? SignedURL.item(of: text)) != nil else {
                throw error("is not an http or https URL.")
            }
            return text
        }
        return text.hasPrefix("/")
            ? text : "\(FileManager.default.currentDirectoryPath)/\(text)"
    }
}
