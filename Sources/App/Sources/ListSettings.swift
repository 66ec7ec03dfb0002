import Catalog
import FoundationEssentials

/// Reads `lists` of a file of settings.
enum ListSettings {
    static func lists(
        _ node: SourceNode, _ problems: inout [ConfigurationError]
    ) -> [ListDefinition] {
        node.entries("a list", &problems) { (name, member) throws(ConfigurationError) in
            try list(name, member)
        }
    }

    private static func list(
        _ name: String, _ node: SourceNode
    ) throws(ConfigurationError) -> ListDefinition {
        guard node.isMapping else {
            return ListDefinition(name: name, title: name, place: try place(node))
        }
        let members = try node.members([
            "file", "title", "urlColumn", "idColumn", "titleColumn", "rights", "shape",
        ])
        guard let file = members["file"] else {
            throw node.error("has no file; name the list, such as file: posters.csv.")
        }
        var list = ListDefinition(
            name: name, title: try members["title"]?.text() ?? name, place: try place(file))
        list.columns.url = try members["urlColumn"]?.text()
        list.columns.id = try members["idColumn"]?.text()
        list.columns.title = try members["titleColumn"]?.text()
        list.rights = try members["rights"]?.text()
        if let shape = members["shape"] { list.shape = try SourceReader.shape(shape) }
        return list
    }

    /// Returns a URL, or an absolute path.
    private static func place(_ node: SourceNode) throws(ConfigurationError) -> String {
        let text = try node.text("the path or the URL of a list")
        if text.contains("://") {
            // The sentence below says it of a setting.
            guard (try? SignedURL.item(of: text)) != nil else {
                throw node.error("is not an http or https URL.")
            }
            return text
        }
        return text.hasPrefix("/")
            ? text : "\(FileManager.default.currentDirectoryPath)/\(text)"
    }
}
