package import Catalog

/// The catalogs of this service, by name.
package struct Sources: Sendable {
    package let all: [any Source]

    package init(_ all: [any Source]) {
        self.all = all
    }

    package func named(_ name: String) throws(Failure) -> any Source {
        guard let source = all.first(where: { $0.name == name }) else {
            let known = all.map(\.name).joined(separator: ", ")
            throw Failure(.unknownSource, "Source “\(name)” is unknown; known are \(known).")
        }
        return source
    }

    /// Returns the item in its canonical form.
    func item(source: String, kind: String, id: String) throws(Failure) -> Item {
        let source = try named(source)
        return try source.item(kind: kind, id: id)
    }

    func source(of item: Item) throws(Failure) -> any Source {
        try named(item.source)
    }
}
