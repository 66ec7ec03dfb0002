import Catalog
import Folders
import Yams

/// The values of a YAML file, as texts by dotted path. Every path is a known key.
package struct ConfigurationFile: Sendable, Equatable {
    let path: String
    private(set) var values: [String: [String]] = [:]
    private(set) var lines: [String: Int] = [:]
    /// What the file describes under `sources`, without secrets of the environment.
    private(set) var sources: [SourceDefinition] = []
    private(set) var folders: [Folder] = []
    private(set) var lists: [ListDefinition] = []
    /// The former names that the file uses, by current path.
    private(set) var formerNames: [String: String] = [:]
    /// The lines of keys that set nothing any more, by path.
    private(set) var removedLines: [String: Int] = [:]
    /// Every mistake in names and shapes, in the order of the file.
    private(set) var problems: [ConfigurationError] = []
    /// Paths of the keys that the mistakes leave without a value.
    private(set) var failed: Set<String> = []

    /// Parses a file and checks names and shapes. ``SettingsLayers`` checks the values.
    ///
    /// - Throws: ``ConfigurationError`` with file and line, for the first syntax error, unknown key or
    ///   wrong shape.
    package init(path: String, text: String) throws(ConfigurationError) {
        self.init(checking: text, path: path)
        if let first = problems.first { throw first }
    }

    /// Reads and parses a file, and collects its mistakes in ``problems``.
    package init(reading path: String) throws(LocalFileError) {
        let bytes = try LocalFile.readRegular(path, limit: 1 << 20)
        let text = String(validating: bytes, as: UTF8.self)
        self.init(checking: text ?? "", path: path)
        if text == nil { problems = [ConfigurationError("\(path): this is not UTF-8 text.")] }
    }

    /// Parses a file and collects its mistakes in ``problems``.
    package init(checking text: String, path: String) {
        self.path = path
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            problems = [Self.syntaxError(error, in: path)]
            return
        }
        guard let root, !root.isEmpty else { return }
        guard let mapping = root.mapping else {
            problems = [
                ConfigurationError(
                    "\(path):\(root.line): expected a key; write settings as in "
                        + "“server:” and below it, indented, “port: 8080”.")
            ]
            return
        }
        read(mapping, under: "")
    }

    private mutating func read(_ mapping: Node.Mapping, under prefix: String) {
        for (name, node) in mapping {
            do throws(ConfigurationError) {
                guard let text = name.scalar?.string else {
                    throw ConfigurationError("\(path):\(name.line): a key must be a word.")
                }
                try read(prefix.isEmpty ? text : "\(prefix).\(text)", node, line: name.line)
            } catch {
                problems.append(error)
            }
        }
    }

    private mutating func read(
        _ full: String, _ node: Node, line: Int
    ) throws(ConfigurationError) {
        let place = "\(path):\(node.line)"
        if let key = ConfigurationKey.byPath[full] ?? ConfigurationKey.byFormerPath[full] {
            if node.isEmpty { return }
            if key.shape == .tree { return readTree(key, readKeys(in: node, under: full)) }
            guard values[key.path] == nil else {
                throw ConfigurationError("\(place): \(key.path) is given twice; remove one.")
            }
            failed.insert(key.path)
            values[key.path] = try texts(of: node, for: key, at: place)
            failed.remove(key.path)
            lines[key.path] = node.line
            if full != key.path { formerNames[key.path] = full }
        } else if ConfigurationKey.removedPaths.contains(full) {
            removedLines[full] = node.line
        } else if ConfigurationKey.all.contains(where: { $0.isInside(section: full) })
            || ConfigurationKey.removedPaths.contains(where: { $0.hasPrefix("\(full).") })
        {
            if node.isEmpty { return }
            guard let section = node.mapping else {
                throw ConfigurationError(
                    "\(place): \(full) is a section; expected keys below it, such as "
                        + "\(Self.example(in: full)).")
            }
            read(section, under: full)
        } else {
            throw Self.unknown(full, at: "\(path):\(line)")
        }
    }

    /// Reads the members of a tree that are keys of their own. Returns the tree with the others.
    private mutating func readKeys(in node: Node, under prefix: String) -> Node {
        guard let mapping = node.mapping else { return node }
        func isKey(_ name: Node) -> Bool {
            name.scalar.map { ConfigurationKey.byPath["\(prefix).\($0.string)"] != nil } ?? false
        }
        let keys = mapping.filter { isKey($0.key) }
        if keys.isEmpty { return node }
        read(Node.Mapping(keys.map { ($0.key, $0.value) }), under: prefix)
        return .mapping(
            Node.Mapping(
                mapping.filter { !isKey($0.key) }.map { ($0.key, $0.value) }, mapping.tag,
                mapping.style, mapping.mark))
    }

    private mutating func readTree(_ key: ConfigurationKey, _ node: Node) {
        let tree = SourceNode(node, path: key.path, file: path)
        switch key.path {
        case "folders": folders = tree.folders(&problems)
        case "lists": lists = tree.lists(&problems)
        default: sources = SourceReader.sources(tree, &problems)
        }
        lines[key.path] = node.line
    }

    private func texts(of node: Node, for key: ConfigurationKey, at place: String)
        throws(ConfigurationError) -> [String]
    {
        func wrongShape(_ found: String) -> ConfigurationError {
            let expected = key.asInFile(key.expected)
            return ConfigurationError("\(place): \(key.path) is \(found); expected \(expected).")
        }
        switch key.shape {
        case .secret:
            throw ConfigurationError(
                "\(place): \(key.path) is a secret and must not stand in this file; set "
                    + "\(key.environmentName), or name a file that holds it in \(key.path)File.")
        case .single:
            guard let scalar = node.scalar else {
                throw wrongShape(node.mapping == nil ? "a list" : "a mapping")
            }
            return [scalar.string]
        case .list:
            guard let sequence = node.sequence else {
                throw wrongShape(
                    node.mapping == nil ? "“\(node.scalar?.string ?? "")”" : "a mapping")
            }
            var texts: [String] = []
            for element in sequence {
                guard let scalar = element.scalar else { throw wrongShape("a list of lists") }
                texts.append(scalar.string)
            }
            return texts
        // Its reader has its own messages.
        case .tree: return []
        case .map:
            guard let mapping = node.mapping else {
                throw wrongShape(
                    node.sequence == nil ? "“\(node.scalar?.string ?? "")”" : "a list")
            }
            var texts: [String] = []
            for (name, value) in mapping {
                if key.path == "levels", let name = name.scalar, let level = value.mapping {
                    texts.append(
                        "\(name.string)=\(try levelText(level, of: name.string, at: place))")
                    continue
                }
                guard let name = name.scalar, let value = value.scalar else {
                    throw wrongShape("a mapping of something else")
                }
                texts.append("\(name.string)=\(value.string)")
            }
            return texts
        }
    }

    /// Returns a level that is written as a mapping in the form of one line.
    private func levelText(
        _ mapping: Node.Mapping, of name: String, at place: String
    ) throws(ConfigurationError) -> String {
        let known = ["box", "fit", "gravity"]
        var values: [String: String] = [:]
        for (key, value) in mapping {
            guard let key = key.scalar?.string, known.contains(key), let value = value.scalar else {
                throw ConfigurationError(
                    "\(place): levels.\(name) is written as 320x480, or with the keys "
                        + "\(known.listed(by: "and")).")
            }
            values[key] = value.string
        }
        return known.compactMap { values[$0] }.joined(separator: " ")
    }

    private static func unknown(_ key: String, at place: String) -> ConfigurationError {
        let paths = ConfigurationKey.all.filter { $0.shape != .secret }.map(\.path)
        let sections = Set(ConfigurationKey.all.map { String($0.section) }).sorted()
        if let nearest = NearestName.of(key, among: paths + sections) {
            return ConfigurationError(
                "\(place): unknown key “\(key)”; did you mean “\(nearest)”?")
        }
        return ConfigurationError(
            "\(place): unknown key “\(key)”; “vitrine config --defaults” lists all keys.")
    }

    private static func example(in section: String) -> String {
        ConfigurationKey.all.first { $0.path.hasPrefix("\(section).") && $0.shape != .secret }?.path
            ?? section
    }

    private static func syntaxError(_ error: any Error, in path: String) -> ConfigurationError {
        switch error {
        case YamlError.scanner(_, let problem, let mark, _),
            YamlError.parser(_, let problem, let mark, _),
            YamlError.composer(_, let problem, let mark, _):
            return ConfigurationError("\(path):\(mark.line): this is not YAML: \(problem).")
        case YamlError.duplicatedKeysInMapping(let keys, let context):
            let names = keys.sorted().map { "“\($0)”" }.listed(by: "and")
            return ConfigurationError(
                "\(path):\(context.mark.line): \(names) is given twice in one section; remove one.")
        default:
            return ConfigurationError("\(path): this is not YAML: \(error).")
        }
    }
}
