import Catalog
import Fetch

/// Reads the description of one source from a file of settings.
struct SourceReader {
    private let name: String
    private var hosts: [HostPattern] = []

    /// Reads `sources` of a file. Collects the first mistake in each.
    static func sources(
        _ node: SourceNode, _ problems: inout [ConfigurationError]
    ) -> [SourceDefinition] {
        node.entries("a source", &problems) { (name, member) throws(ConfigurationError) in
            var reader = SourceReader(name: name)
            return try reader.source(member)
        }
    }

    private init(name: String) { self.name = name }

    private mutating func source(
        _ node: SourceNode
    ) throws(ConfigurationError) -> SourceDefinition {
        let members = try node.members([
            "title", "hosts", "rights", "website", "mayCrop", "shape", "kinds", "lists",
        ])
        guard let hostsNode = members["hosts"] else {
            throw node.error("has no hosts; name those that requests may go to.")
        }
        let hosts = try hostsNode.hosts()
        self.hosts = hosts.map(\.pattern)
        guard let kindsNode = members["kinds"] else {
            throw node.error("has no kinds; describe at least one kind of items.")
        }
        var source = SourceDefinition(
            name: name, title: try members["title"]?.text() ?? name, hosts: hosts)
        source.rights = try members["rights"]?.text()
        source.website = try members["website"]?.parsed("an https URL") { text in
            CheckedURL(text, hosts: [HostPattern("*")])?.text
        }
        source.mayCrop = try members["mayCrop"]?.flag() ?? true
        if let shape = members["shape"] { source.shape = try shape.shape() }
        let kinds = try kindsNode.members()
        guard !kinds.isEmpty else { throw kindsNode.error("is empty; describe a kind of items.") }
        let kindNames = kinds.map(\.name)
        for (name, member) in kinds {
            guard SourceNode.isName(name) else {
                throw member.error(
                    "is not a name of a kind; use up to 32 letters a-z, digits and hyphens.")
            }
            guard name != FolderSource.kind, name != ListSource.urlKind else {
                throw member.error(
                    "has a name that folders and lists use; choose another than “\(name)”.")
            }
            source.kinds.append(try kind(name, member, kindNames))
        }
        for (name, member) in try members["lists"]?.members() ?? [] {
            guard SourceNode.isName(name), !kindNames.contains(name) else {
                throw member.error(
                    "is not a name of a list; use up to 32 letters a-z, digits and hyphens, and "
                        + "none that a kind has.")
            }
            source.lists.append(try list(name, member, source.kinds))
        }
        return source
    }

    // MARK: - Kinds

    static let fieldNames = SourceDefinition.Fields.all.map(\.name)

    private func kind(
        _ name: String, _ node: SourceNode, _ kinds: [String]
    ) throws(ConfigurationError) -> SourceDefinition.Kind {
        let members = try node.members(["id", "request", "absent", "chain"] + Self.fieldNames)
        guard let chain = members["chain"] else {
            throw node.error("has no chain; name the places of its picture, the best first.")
        }
        var kind = SourceDefinition.Kind(name: name, chain: [])
        kind.id =
            try members["id"]?.parsed(
                SourceDefinition.IDForm.allCases.map(\.rawValue).listed(by: "or"),
                SourceDefinition.IDForm.init) ?? .text
        kind.request = try members["request"].map { node throws(ConfigurationError) in
            try url(node, variables: ["id"], readsAnswer: false)
        }
        kind.absent = try members["absent"].map(statuses) ?? kind.absent
        kind.fields = try fields(of: members, variables: ["id"], hasAnswer: kind.request != nil)
        kind.chain = try self.chain(
            chain, kinds, variables: ["id"], hasAnswer: kind.request != nil)
        return kind
    }

    func statuses(_ node: SourceNode) throws(ConfigurationError) -> Set<Int> {
        guard node.isList else { return [try node.number(in: 200...599)] }
        var statuses: Set<Int> = []
        for element in try node.elements() {
            statuses.insert(try element.number(in: 200...599))
        }
        return statuses
    }

    func fields(
        of members: [String: SourceNode], variables: [String], hasAnswer: Bool
    ) throws(ConfigurationError) -> SourceDefinition.Fields {
        var fields = SourceDefinition.Fields()
        for (name, place) in SourceDefinition.Fields.all {
            guard let node = members[name] else { continue }
            fields[keyPath: place] = try value(node, variables, hasAnswer: hasAnswer)
        }
        return fields
    }

    /// A text or a list of alternatives. What begins with `$` is a path.
    func value(
        _ node: SourceNode, _ variables: [String], hasAnswer: Bool
    ) throws(ConfigurationError) -> SourceValue {
        var alternatives: [SourceValue.Alternative] = []
        for element in node.isList ? try node.elements() : [node] {
            let alternative = try element.parsed {
                (text) throws(SourceSyntaxError) -> SourceValue.Alternative in
                text.hasPrefix("$")
                    ? .path(try JSONPath(text))
                    : .template(try SourceTemplate(text, variables: variables))
            }
            let readsAnswer =
                switch alternative {
                case .path: true
                case .template(let template): template.readsAnswer
                }
            if readsAnswer, !hasAnswer { throw Self.noAnswer(element) }
            alternatives.append(alternative)
        }
        return SourceValue(alternatives)
    }

    static func noAnswer(_ node: SourceNode) -> ConfigurationError {
        node.error("reads an answer, but there is no request; add one.")
    }

    func url(
        _ node: SourceNode, variables: [String], readsAnswer: Bool
    ) throws(ConfigurationError) -> SourceTemplate {
        let hosts = self.hosts
        let template = try node.parsed { (text) throws(SourceSyntaxError) in
            try SourceTemplate(url: text, variables: variables, hosts: hosts)
        }
        if template.readsAnswer, !readsAnswer { throw Self.noAnswer(node) }
        return template
    }

    // MARK: - Chains

    func chain(
        _ node: SourceNode, _ kinds: [String], variables: [String], hasAnswer: Bool,
        mayRequest: Bool = true
    ) throws(ConfigurationError) -> [SourceDefinition.Step] {
        var steps: [SourceDefinition.Step] = []
        for (index, element) in try node.elements().enumerated() {
            steps.append(
                try step(
                    element, index, kinds, variables, hasAnswer: hasAnswer,
                    mayRequest: mayRequest, rank: steps.last?.rank ?? 0))
        }
        guard !steps.isEmpty else { throw node.error("is empty; name a place of the picture.") }
        return steps
    }

    private func step(
        _ node: SourceNode, _ index: Int, _ kinds: [String], _ variables: [String],
        hasAnswer: Bool, mayRequest: Bool, rank: Int
    ) throws(ConfigurationError) -> SourceDefinition.Step {
        let members = try node.members(
            ["url", "item", "label", "rank", "width", "height", "each", "limit"]
                + (mayRequest ? ["request"] : []))
        let request = try members["request"].map { node throws(ConfigurationError) in
            try url(node, variables: variables, readsAnswer: hasAnswer)
        }
        let readsAnswer = hasAnswer || request != nil
        var label = "picture \(index + 1)"
        let place: SourceDefinition.Step.Place
        if let node = members["item"] {
            guard members.keys.allSatisfy(["item", "label"].contains) else {
                throw node.error("is another item's chain; only a label may stand beside it.")
            }
            place = try item(node, kinds, variables, hasAnswer: hasAnswer)
            label = try node.text()
        } else if let node = members["url"] {
            let text = node.isList ? "" : try node.text()
            if text.hasPrefix("https://") || text.hasPrefix("http://") {
                place = .template(
                    try url(
                        node, variables: variables + ["width", "height"], readsAnswer: readsAnswer))
            } else {
                let value = try value(node, variables, hasAnswer: readsAnswer)
                guard value.readsAnswer else {
                    throw node.error(
                        "is \(node.shown); expected an https URL or a path such as $.image.")
                }
                place = .answer(value)
                label = value.alternatives.first?.name ?? label
            }
        } else {
            throw node.error("names no picture; give a url or an item.")
        }
        var step = SourceDefinition.Step(label: try members["label"]?.text() ?? label, place: place)
        step.request = request
        step.rank = try members["rank"]?.number(in: 0...100) ?? rank
        step.width = try members["width"].map { node throws(ConfigurationError) in
            try size(node, hasAnswer: readsAnswer)
        }
        step.height = try members["height"].map { node throws(ConfigurationError) in
            try size(node, hasAnswer: readsAnswer)
        }
        step.each = try members["each"].map { node throws(ConfigurationError) in
            guard readsAnswer else { throw Self.noAnswer(node) }
            return try node.parsed { (text) throws(SourceSyntaxError) in try JSONPath(text) }
        }
        step.limit = try members["limit"]?.number(in: 1...50) ?? step.limit
        return step
    }

    private func item(
        _ node: SourceNode, _ kinds: [String], _ variables: [String], hasAnswer: Bool
    ) throws(ConfigurationError) -> SourceDefinition.Step.Place {
        let text = try node.text()
        let halves = text.split(separator: "/", maxSplits: 1).map(String.init)
        guard halves.count == 2, kinds.contains(halves[0]) else {
            throw node.error(
                "is “\(text)”; expected a kind of this source and an id, such as "
                    + "\(kinds.first ?? "kind")/{id}.")
        }
        let id = try node.parsed { (_) throws(SourceSyntaxError) in
            try SourceTemplate(halves[1], variables: variables)
        }
        if id.readsAnswer, !hasAnswer { throw Self.noAnswer(node) }
        return .item(kind: halves[0], id: id)
    }

    private func size(
        _ node: SourceNode, hasAnswer: Bool
    ) throws(ConfigurationError) -> SourceDefinition.Size {
        let text = try node.text()
        guard text.hasPrefix("$") else {
            return .fixed(try node.number(in: 1...1_000_000))
        }
        guard hasAnswer else { throw Self.noAnswer(node) }
        return .answer(try node.parsed { (text) throws(SourceSyntaxError) in try JSONPath(text) })
    }
}

extension SourceValue {
    fileprivate var readsAnswer: Bool {
        alternatives.contains { alternative in
            switch alternative {
            case .path: true
            case .template(let template): template.readsAnswer
            }
        }
    }
}

extension SourceValue.Alternative {
    /// The last name of a path, for people.
    fileprivate var name: String? {
        guard case .path(let path) = self else { return nil }
        return path.lastName
    }
}
