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

/// A parameter that a list has besides the filters of every list.
package struct ListParameter: Sendable, Equatable {
    package var name: String
    package var form: Form

    package enum Form: Sendable, Equatable {
        /// Search words, at least three characters. A request must have them.
        case term
        /// Search words that a request may have, with their fewest characters.
        case words(atLeast: Int)
        /// A text with its default; without one a request must have it.
        case text(String?)
        /// The number of a page, from the range's first.
        case page(ClosedRange<Int>)
        /// Another number that leads to a page, from the range's first.
        case number(ClosedRange<Int>)
        /// As `number`, but the first is not part of a query.
        case part(ClosedRange<Int>)
        /// A text that the source issued and expects back unchanged.
        case token
        /// One of these texts, the first of which is not part of a query.
        case choice([String])
        /// A number of elements, of which the usual one is not part of a query.
        case count(ClosedRange<Int>, usual: Int)
    }

    package init(_ name: String, _ form: Form) {
        self.name = name
        self.form = form
    }

    fileprivate var isSearch: Bool {
        switch form {
        case .term, .words: true
        case .text, .page, .number, .part, .token, .choice, .count: false
        }
    }

    fileprivate var isRequired: Bool { form == .term || form == .text(nil) }
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

extension ListParameter {
    /// Limit of a text's characters.
    private static let mostCharacters = 200
    private static let mostTokenBytes = 4_096

    /// Returns the value in its one form; nil if a query doesn't have it.
    fileprivate func value(of given: String?, owner: String) throws(Failure) -> String? {
        switch form {
        case .term:
            guard let term = given?.trimmed.nonEmpty else {
                throw .invalid(reason: "\(owner) needs words to search for: \(name)=….")
            }
            return try Self.text(term, atLeast: 3, "A search term")
        case .words(let fewest):
            guard let words = given?.trimmed.nonEmpty else { return nil }
            return try Self.text(words, atLeast: fewest, "“\(name)”")
        case .text(let preset):
            guard let text = given?.trimmed.nonEmpty else {
                if let preset { return preset }
                throw .invalid(reason: "\(owner) needs “\(name)”.")
            }
            return try Self.text(text, atLeast: 1, "“\(name)”")
        case .page(let range), .number(let range): return "\(try number(given, in: range))"
        case .part(let range):
            let number = try number(given, in: range)
            return number == range.lowerBound ? nil : "\(number)"
        case .choice(let known):
            guard let text = given?.trimmed.nonEmpty, text != known.first else { return nil }
            guard known.contains(text) else {
                throw .invalid(
                    reason: "“\(name)” must be \(known.listed(by: "or")), not “\(text.shortened)”.")
            }
            return text
        case .count(let range, let usual):
            guard let given, !given.isEmpty else { return nil }
            let count = try number(given, in: range)
            return count == usual ? nil : "\(count)"
        case .token:
            guard let token = given?.nonEmpty else { return nil }
            guard token.utf8.count <= Self.mostTokenBytes else {
                throw .invalid(
                    reason: "“\(name)” may have at most \(Self.mostTokenBytes) bytes.")
            }
            return token
        }
    }

    private static func text(
        _ text: String, atLeast fewest: Int, _ subject: String
    ) throws(Failure) -> String {
        guard text.count >= fewest else {
            throw .invalid(reason: "\(subject) needs at least \(fewest) characters.")
        }
        guard text.count <= mostCharacters else {
            throw .invalid(reason: "\(subject) may have at most \(mostCharacters) characters.")
        }
        return text
    }

    private func number(
        _ given: String?, in range: ClosedRange<Int>
    ) throws(Failure) -> Int {
        guard let text = given, !text.isEmpty else { return range.lowerBound }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
            range.contains(number)
        else {
            throw .invalid(
                reason: """
                    “\(name)” must be a whole number from \(range.lowerBound) to \
                    \(range.upperBound), not “\(text.shortened)”.
                    """)
        }
        return number
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
