/// A list's own parameters as received, limited to the known ones.
struct Parameters {
    private let given: [String: String]
    private let known: [String]
    /// The list's name for messages: `TVmaze's list "shows"`.
    private let owner: String

    /// - Throws: ``Failure/invalid(reason:)`` if a parameter is unknown or contains control
    ///   characters.
    init(_ given: [String: String], known: [String], owner: String) throws(Failure) {
        self.given = given
        self.known = known
        self.owner = owner
        if let name = given.keys.filter({ !known.contains($0) }).min() {
            let unknown = UnknownParameter(owner: owner, name: name, own: known)
            throw Failure(.invalid, unknown.sentence(), cause: unknown)
        }
        // Control characters never occur in catalogs, and they must not get into a page's key.
        for name in known where given[name]?.unicodeScalars.contains(where: Self.isControl) == true
        {
            throw .invalid(reason: "“\(name)” must not contain control characters.")
        }
    }

    /// Returns a whole number within `range`, or `fallback` if it is missing or empty.
    func integer(
        _ name: String, in range: ClosedRange<Int>, default fallback: Int
    ) throws(Failure) -> Int {
        guard let text = given[name], !text.isEmpty else { return fallback }
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

    /// Returns the trimmed text; `nil` if it is missing or empty.
    func text(
        _ name: String, atLeast least: Int = 1, atMost most: Int = 200
    ) throws(Failure) -> String? {
        guard let text = given[name]?.trimmed, !text.isEmpty else { return nil }
        guard text.count >= least else {
            throw .invalid(reason: "“\(name)” needs at least \(least) characters.")
        }
        guard text.count <= most else {
            throw .invalid(reason: "“\(name)” may have at most \(most) characters.")
        }
        return text
    }

    /// Returns a token that a source issued and expects back unchanged; `nil` if it is missing or
    /// empty.
    func token(_ name: String, atMost most: Int = 4_096) throws(Failure) -> String? {
        guard let token = given[name], !token.isEmpty else { return nil }
        guard token.utf8.count <= most else {
            throw .invalid(reason: "“\(name)” may have at most \(most) bytes.")
        }
        return token
    }

    /// Returns a trimmed search term of at least three characters.
    func term(_ name: String, atMost limit: Int = 200) throws(Failure) -> String {
        guard let term = given[name]?.trimmed, !term.isEmpty else {
            throw .invalid(reason: "\(owner) needs a search term as “\(name)”.")
        }
        guard term.count >= 3 else {
            throw .invalid(reason: "A search term needs at least 3 characters.")
        }
        guard term.count <= limit else {
            throw .invalid(reason: "A search term may have at most \(limit) characters.")
        }
        return term
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
