/// One part of one list: `shows` with `page=0`, `search` with `q=…`.
package struct ListQuery: Sendable, Hashable, Codable {
    package var source: String
    /// Path below the source: `shows`, `movies/popular`, `artists/{id}/albums`.
    package var list: String
    /// The list's own parameters, validated. The filters common to all lists are not included.
    package var parameters: [String: String]
    /// The source's own link to this part, if the part before it had one: it is followed unchanged. It says no more
    /// than the parameters, so that queries are equal without it.
    package var link: String?
}

extension ListQuery {
    package static func == (one: ListQuery, other: ListQuery) -> Bool {
        one.source == other.source && one.list == other.list && one.parameters == other.parameters
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(source)
        hasher.combine(list)
        hasher.combine(parameters)
    }

    /// `tvmaze/shows?page=0`, parameters in the order of their names.
    package var key: String {
        let pairs = parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return "\(source)/\(list)" + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
    }

    /// The whole number that a parameter has.
    func number(_ name: String) -> Int? { parameters[name].flatMap { Int($0) } }

    /// Returns the query with another value of a parameter; nil removes it.
    func with(_ name: String, _ number: Int?) -> ListQuery {
        var query = self
        query.parameters[name] = number.map { "\($0)" }
        return query
    }
}
