/// One part of one list: `shows` with `page=0`, `search` with `q=…`.
package struct ListQuery: Sendable, Hashable, Codable {
    package var source: String
    /// Path below the source: `shows`, `movies/popular`, `artists/{id}/albums`.
    package var list: String
    /// The list's own parameters, validated. The filters common to all lists are not included.
    package var parameters: [String: String]

    package init(source: String, list: String, parameters: [String: String]) {
        self.source = source
        self.list = list
        self.parameters = parameters
    }
}

extension ListQuery {
    /// `tvmaze/shows?page=0`, parameters in the order of their names.
    package var key: String {
        let pairs = parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return "\(source)/\(list)" + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
    }
}
