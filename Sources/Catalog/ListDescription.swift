/// A list of a source. These follow from it: the checks of a request and their messages, the API's description,
/// the names on the command line, and the gallery's tab.
package struct ListDescription: Sendable, Equatable {
    /// Path below the source, as in ``ListQuery/list``: `shows`. `{id}` stands for an id of the source's first kind.
    package var name: String
    /// Its items, for people: `TV shows`.
    package var title: String
    /// Its own parameters, in the order in which messages name them.
    package var parameters: [ListParameter]
    /// Short name on the command line, such as `popular`.
    package var shortName: String?
    /// Its name in the source's tab of the gallery; nil if it is not there.
    package var tabTitle: String?

    package init(
        _ name: String, title: String, _ parameters: [ListParameter], shortName: String? = nil,
        tabTitle: String? = nil
    ) {
        self.name = name
        self.title = title
        self.parameters = parameters
        self.shortName = shortName
        self.tabTitle = tabTitle
    }
}

extension ListDescription {
    /// Name and parameters, as in the README: `shows?page=`.
    package var text: String {
        let names = parameters.map { "\($0.name)=" }.joined(separator: "&")
        return names.isEmpty ? name : "\(name)?\(names)"
    }

    /// The parameters that make a request a search, the usual one first.
    package var searchParameters: [String] { parameters.filter(\.isSearch).map(\.name) }
    /// The parameter that takes search words; nil if the list is not a search.
    package var term: String? { searchParameters.first }
    /// The parameters that a request must have.
    package var required: Set<String> { Set(parameters.filter(\.isRequired).map(\.name)) }

    /// The parameter that takes the number of a page; nil if its pages have none.
    package var pageParameter: String? {
        parameters.first { if case .page = $0.form { true } else { false } }?.name
    }

    /// The common filters that this list takes as parameters of its own, such as the museum's `title=`.
    package var ownFilters: Set<String> {
        Set(parameters.map(\.name)).intersection(CatalogFilter.parameterNames)
    }

    /// Returns the id in a list's path; nil if the path is another list's, empty if this one has no id.
    func id(in list: String) -> String? {
        guard let place = name.firstRange(of: "{id}") else { return list == name ? "" : nil }
        let (before, after) = (name[..<place.lowerBound], name[place.upperBound...])
        guard list.hasPrefix(before), list.hasSuffix(after),
            list.utf8.count >= before.utf8.count + after.utf8.count
        else { return nil }
        let id = list.dropFirst(before.count).dropLast(after.count)
        return id.contains("/") ? nil : String(id)
    }
}

// MARK: - Checking

extension ListDescription {
    /// Returns the parameters of a query, with their defaults.
    ///
    /// - Parameter owner: names the list in messages: `TVmaze's list “shows”`.
    /// - Throws: ``Failure/invalid(reason:)`` for an unknown, missing or malformed parameter.
    func values(_ given: [String: String], owner: String) throws(Failure) -> [String: String] {
        let known = parameters.map(\.name)
        if let name = given.keys.filter({ !known.contains($0) }).min() {
            let unknown = UnknownParameter(owner: owner, name: name, own: known)
            throw Failure(.invalid, unknown.sentence(), cause: unknown)
        }
        // Control characters never occur in catalogs, and they must not get into a page's key.
        for name in known where given[name]?.unicodeScalars.contains(where: Self.isControl) == true
        {
            throw .invalid(reason: "“\(name)” must not contain control characters.")
        }
        var values: [String: String] = [:]
        for parameter in parameters {
            values[parameter.name] = try parameter.value(of: given[parameter.name], owner: owner)
        }
        return values
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control && !scalar.properties.isWhitespace
    }
}

/// A parameter that a list doesn't have. It is the cause of the failure, so that callers can name
/// what they accept besides, or in their own words.
package struct UnknownParameter: Error, Sendable, Equatable {
    /// The list's name for messages: `TVmaze's list “shows”`.
    package var owner: String
    package var name: String
    /// The list's own parameters.
    package var own: [String]

    /// The list's own parameters, and the filters of every list.
    package var known: [String] {
        own + CatalogFilter.parameterNames.filter { !own.contains($0) }
    }

    /// Returns the sentence that names them all.
    ///
    /// - Parameter more: parameters that the caller accepts for every list.
    package func sentence(_ more: [String] = []) -> String {
        let names = (known + more).map { "“\($0)”" }.listed(by: "and")
        return "\(owner) has no parameter “\(name.shortened)”; it knows \(names)."
    }
}
