import Catalog

extension SourceReader {
    /// Reads a list, whose items are of one of these kinds.
    func list(
        _ name: String, _ node: SourceNode, _ kinds: [SourceDefinition.Kind]
    ) throws(ConfigurationError) -> SourceDefinition.List {
        let members = try node.members(
            [
                "kind", "name", "request", "parameters", "items", "id", "idInside", "complete",
                "chain", "paging", "end",
            ] + Self.fieldNames)
        let kindNames = kinds.map(\.name)
        guard let kind = try members["kind"]?.text() ?? (kinds.count == 1 ? kinds[0].name : nil)
        else { throw node.error("has no kind; choose \(kindNames.listed(by: "or")).") }
        guard kindNames.contains(kind) else {
            throw (members["kind"] ?? node).error(
                "is “\(kind)”; expected \(kindNames.listed(by: "or")).")
        }
        guard let requestNode = members["request"] else {
            throw node.error("has no request; give the URL of its JSON document.")
        }
        guard let itemsNode = members["items"] else {
            throw node.error("has no items; give the path of its elements, such as $.results[*].")
        }
        guard let idNode = members["id"] else {
            throw node.error("has no id; give its path in an element, such as $.id.")
        }
        let paging = try members["paging"].map(self.paging)
        let parameters = try members["parameters"].map(self.parameters) ?? [:]
        var variables = [SourceDefinition.List.term] + parameters.keys.sorted()
        switch paging?.form {
        case .page?, .offset?, .cursor?: variables.append(paging?.parameter ?? "")
        case .link?, nil: break
        }
        if paging?.size != nil { variables.append("limit") }
        let request = try url(requestNode, variables: variables, readsAnswer: false)
        for name in variables.dropFirst() where !request.variables.contains(name) && name != "limit"
        {
            throw requestNode.error("doesn't use {\(name)}; without it, every page is the same.")
        }
        var list = SourceDefinition.List(
            name: name, kind: kind, request: request,
            items: try itemsNode.parsed { (text) throws(SourceSyntaxError) in try JSONPath(text) },
            id: try value(idNode, [], hasAnswer: true))
        list.title =
            try members["name"]?.text() ?? name.prefix(1).uppercased()
            + name.dropFirst().replacing("-", with: " ")
        list.parameters = parameters
        list.paging = paging
        if let inside = members["idInside"] {
            list.idInside = try inside.parsed("a text around {id}, such as /works/{id}") { text in
                let halves = text.split(separator: "{id}", omittingEmptySubsequences: false)
                guard halves.count == 2 else { return nil }
                return .init(before: String(halves[0]), after: String(halves[1]))
            }
        }
        list.isComplete = try members["complete"]?.flag() ?? false
        list.fields = try fields(of: members, variables: ["id"], hasAnswer: true)
        list.chain = try members["chain"].map { node throws(ConfigurationError) in
            try chain(node, kindNames, variables: ["id"], hasAnswer: true, mayRequest: false)
        }
        list.end = try members["end"].map(statuses) ?? []
        return list
    }

    /// Parameters with their defaults; an empty one is required.
    private func parameters(
        _ node: SourceNode
    ) throws(ConfigurationError) -> [String: String?] {
        var parameters: [String: String?] = [:]
        for (name, member) in try node.members() {
            let reserved = ["q", "page", "offset", "cursor", "limit", "lang"]
            guard SourceNode.isName(name.lowercased()), !reserved.contains(name) else {
                throw member.error(
                    "is not a name of a parameter; use letters a-z, digits and hyphens, and none of "
                        + "\(reserved.listed(by: "and")).")
            }
            parameters.updateValue(member.isEmpty ? nil : try member.text(), forKey: name)
        }
        return parameters
    }

    private func paging(_ node: SourceNode) throws(ConfigurationError) -> SourceDefinition.Paging {
        let members = try node.members(["by", "first", "size", "next", "total", "pages"])
        func path(_ name: String) throws(ConfigurationError) -> JSONPath? {
            try members[name]?.parsed { (text) throws(SourceSyntaxError) in try JSONPath(text) }
        }
        func next() throws(ConfigurationError) -> JSONPath {
            guard let next = try path("next") else {
                throw node.error("has no next; give its path in the answer, such as $.next.")
            }
            return next
        }
        let expected = "page, offset, cursor or link"
        guard let by = members["by"] else {
            throw node.error("has no key by; expected \(expected).")
        }
        let allowed: [String]
        var paging: SourceDefinition.Paging
        switch try by.text(expected) {
        case "page":
            allowed = ["by", "first", "size", "total", "pages"]
            paging = .init(.page(first: try members["first"]?.number(in: 0...1_000) ?? 1))
        case "offset":
            allowed = ["by", "size", "total"]
            paging = .init(.offset)
        case "cursor":
            allowed = ["by", "first", "size", "next", "total"]
            paging = .init(.cursor(try next(), first: try members["first"]?.text() ?? ""))
        case "link":
            allowed = ["by", "size", "next", "total"]
            paging = .init(.link(try next()))
        default: throw by.error("is “\(try by.text())”; expected \(expected).")
        }
        if let (name, stray) = members.first(where: { !allowed.contains($0.key) }) {
            throw stray.error(
                "means nothing for paging by \(try by.text()); leave “\(name)” out.")
        }
        paging.size = try members["size"]?.number(in: 1...10_000)
        paging.total = try path("total")
        paging.pages = try path("pages")
        return paging
    }
}
