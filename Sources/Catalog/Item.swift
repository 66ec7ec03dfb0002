/// One thing on show, named `source/kind/id`.
package struct Item: Sendable, Hashable, Codable, CustomStringConvertible {
    package var source: String
    package var kind: String
    package var id: String

    package init(source: String, kind: String, id: String) {
        self.source = source
        self.kind = kind
        self.id = id
    }

    package var description: String { "\(source)/\(kind)/\(id)" }
}
