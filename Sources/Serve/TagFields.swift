import Catalog
import HTTP
import HTTPTypes
import Pipeline

/// Writes the names by which caches in front purge a response into the fields that are configured.
struct TagFields: Sendable {
    private let names: [(name: HTTPField.Name, separator: String)]

    init(_ configuration: PipelineConfiguration) {
        names = configuration.tagFields.map { (.constant($0.rawValue), $0.separator) }
    }

    var isEmpty: Bool { names.isEmpty }

    func of(_ item: Item) -> HTTPFields { isEmpty ? [:] : of(CacheTag.names(of: item)) }

    /// - Parameter sources: those that may have other items to show at another time.
    func of(_ items: [Item], sources: [String]) -> HTTPFields {
        isEmpty ? [:] : of(CacheTag.names(of: items, sources: sources))
    }

    /// Returns the fields as they are sent.
    func lines(_ item: Item) -> FieldLines { FieldLines(of(item)) }

    private func of(_ tags: [String]) -> HTTPFields {
        var fields = HTTPFields()
        for (name, separator) in names { fields[name] = tags.joined(separator: separator) }
        return fields
    }
}
