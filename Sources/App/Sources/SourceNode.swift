import Catalog
import Folders
import FoundationEssentials
import Yams

/// A part of the description of a source, with its place for messages.
struct SourceNode {
    /// Names that mean something else in paths or on the command line.
    private static let reserved =
        Assembly.builtIn + [
            "url", "urls", "items", "all", "favorites", "history", "status", "recent", "explain",
        ]

    private let node: Node
    /// `sources.covers.kinds.release`.
    let path: String
    private let file: String

    init(_ node: Node, path: String, file: String) {
        self.node = node
        self.path = path
        self.file = file
    }

    /// Returns the error of this place: `v.yaml:4: sources.covers.title …`.
    func error(_ complaint: String) -> ConfigurationError {
        ConfigurationError("\(file):\(node.line): \(path) \(complaint)")
    }

    var isList: Bool { node.sequence != nil }
    var isMapping: Bool { node.mapping != nil }
    var isEmpty: Bool { node.isEmpty }

    /// Describes the value for messages, without user names and passwords of URLs.
    var shown: String {
        if isMapping { return "a mapping" }
        if isList { return "a list" }
        let text = (node.scalar?.string ?? "").replacing(#/:\/\/[^\/]*@/#, with: "://***@")
        return isEmpty ? "empty" : "“\(text)”"
    }

    /// Returns the members in their order.
    func members() throws(ConfigurationError) -> [(name: String, node: SourceNode)] {
        guard let mapping = node.mapping else {
            throw error("is \(shown); expected keys below it.")
        }
        var members: [(name: String, node: SourceNode)] = []
        for (name, value) in mapping {
            guard let name = name.scalar?.string else {
                throw error("has a key that is not a word.")
            }
            members.append((name, SourceNode(value, path: "\(path).\(name)", file: file)))
        }
        return members
    }

    /// Returns what `make` makes of each member. Collects the mistakes of those that it can't make.
    ///
    /// - Parameter noun: what a member describes, such as `a folder`.
    func entries<Entry>(
        _ noun: String, _ problems: inout [ConfigurationError],
        _ make: (_ name: String, SourceNode) throws(ConfigurationError) -> Entry
    ) -> [Entry] {
        var entries: [Entry] = []
        func collect(
            _ body: () throws(ConfigurationError) -> Void
        ) {
            do throws(ConfigurationError) { try body() } catch { problems.append(error) }
        }
        collect { () throws(ConfigurationError) in
            for (name, member) in try members() {
                collect { () throws(ConfigurationError) in
                    guard Self.isName(name) else {
                        throw member.error(
                            "is not a name of \(noun); use up to 32 letters a-z, digits and hyphens."
                        )
                    }
                    guard !Self.reserved.contains(name) else {
                        throw member.error(
                            "has a name that is taken; choose another than “\(name)”.")
                    }
                    entries.append(try make(name, member))
                }
            }
        }
        return entries
    }

    /// Returns the members that are not empty, by their names.
    ///
    /// - Throws: ``ConfigurationError`` for a name that is not among `known`.
    func members(_ known: [String]) throws(ConfigurationError) -> [String: SourceNode] {
        var found: [String: SourceNode] = [:]
        for (name, member) in try members() {
            guard known.contains(name) else {
                let nearest = NearestName.of(name, among: known).map { "did you mean “\($0)”?" }
                throw error(
                    "has no key “\(name)”; "
                        + (nearest ?? "it has \(known.listed(by: "and")).")
                )
            }
            if !member.isEmpty { found[name] = member }
        }
        return found
    }

    func elements() throws(ConfigurationError) -> [SourceNode] {
        guard let sequence = node.sequence else { throw error("is \(shown); expected a list.") }
        return sequence.enumerated().map { index, element in
            SourceNode(element, path: "\(path)[\(index)]", file: file)
        }
    }

    func text(_ expected: String = "a text") throws(ConfigurationError) -> String {
        guard let scalar = node.scalar, !isEmpty, !scalar.string.isEmpty else {
            throw error("is \(shown); expected \(expected).")
        }
        return scalar.string
    }

    func number(in range: ClosedRange<Int>) throws(ConfigurationError) -> Int {
        let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        guard let number = Int(try text(expected)), range.contains(number) else {
            throw error("is \(shown); expected \(expected).")
        }
        return number
    }

    func flag() throws(ConfigurationError) -> Bool {
        switch try text("true or false") {
        case "true": return true
        case "false": return false
        default: throw error("is \(shown); expected true or false.")
        }
    }

    /// Returns the value of a syntax, with its complaint at this place.
    func parsed<Value>(
        _ parse: (String) throws(SourceSyntaxError) -> Value
    ) throws(ConfigurationError) -> Value {
        let text = try text()
        do throws(SourceSyntaxError) {
            return try parse(text)
        } catch {
            throw self.error("is \(shown): \(error.reason) (column \(error.column)).")
        }
    }

    /// Returns the value, or the complaint that the text is not what is expected.
    func parsed<Value>(
        _ expected: String, _ parse: (String) -> Value?
    ) throws(ConfigurationError) -> Value {
        guard let value = parse(try text(expected)) else {
            throw error("is \(shown); expected \(expected).")
        }
        return value
    }

    func shape() throws(ConfigurationError) -> PictureBox {
        try parsed("a ratio such as 2:3") { text in
            let sides = text.split(separator: ":").map { Int($0) }
            guard sides.count == 2, let width = sides[0], let height = sides[1],
                (1...100).contains(width), (1...100).contains(height)
            else { return nil }
            return PictureBox(width: width, height: height)
        }
    }

    /// Returns whether a name may stand in a path.
    static func isName(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count) && text.first?.isLetter == true
            && text.utf8.allSatisfy(\.isOfName)
    }
}

extension SourceNode {
    /// Reads `folders` of a file of settings: directories and buckets.
    ///
    /// - Parameter problems: gets the first mistake in each.
    func folders(
        _ problems: inout [ConfigurationError]
    ) -> (directories: [Folder], buckets: [BucketDefinition]) {
        var (directories, buckets): ([Folder], [BucketDefinition]) = ([], [])
        _ = entries("a folder", &problems) { (name, member) throws(ConfigurationError) in
            if try member.isBucket {
                buckets.append(try member.bucket(name))
            } else {
                directories.append(try member.folder(name))
            }
        }
        return (directories, buckets)
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
        if let recheck = members["recheck"] { folder.recheck = try recheck.recheck() }
        return folder
    }

    /// Reads seconds after which a file or an object is looked at again.
    func recheck() throws(ConfigurationError) -> Double {
        let syntax = ValueSyntax<Double>.seconds(.seconds(1)...ConfigurationKey.day)
        return try parsed(syntax.expected, syntax.parse)
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
        if let shape = members["shape"] { list.shape = try shape.shape() }
        return list
    }

    /// Returns a URL, or an absolute path.
    private func place() throws(ConfigurationError) -> String {
        let text = try self.text("the path or the URL of a list")
        if text.schemeMark != nil {
            do throws(NormalURL.Refusal) {
                return try NormalURL(text).text
            } catch {
                throw self.error("\(error.phrase).")
            }
        }
        return text.hasPrefix("/")
            ? text : "\(FileManager.default.currentDirectoryPath)/\(text)"
    }
}

extension Node {
    var line: Int { mark?.line ?? 1 }

    /// Whether this is a key without a value, or an explicit null.
    var isEmpty: Bool {
        guard let scalar, scalar.style == .plain else { return false }
        return ["", "~", "null"].contains(scalar.string)
    }
}
