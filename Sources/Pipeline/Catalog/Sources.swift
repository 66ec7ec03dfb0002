package import Catalog

/// The catalogues of this service, by name.
package struct Sources: Sendable {
    package let all: [any Source]

    package init(_ all: [any Source]) {
        self.all = all
    }

    package func named(_ name: String) throws(PipelineError) -> any Source {
        guard let source = all.first(where: { $0.name == name }) else {
            throw .unknownSource(name: name, known: all.map(\.name))
        }
        return source
    }

    /// Returns the item in its canonical form.
    func item(source: String, kind: String, id: String) throws(PipelineError) -> Item {
        let source = try named(source)
        do throws(CatalogError) {
            return try source.item(kind: kind, id: id)
        } catch {
            throw .catalog(error)
        }
    }

    func source(of item: Item) throws(PipelineError) -> any Source {
        try named(item.source)
    }
}
