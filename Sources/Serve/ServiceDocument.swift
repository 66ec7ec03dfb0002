import Catalog
import HTTPTypes
import Imaging
import JSON

/// What an app has to know of the service before it asks for anything else: `GET /v1`.
struct ServiceDocument: Sendable {
    private let sources: [any Source]
    private let levels: [Level]
    private let address: ServiceAddress

    /// Clients keep it for this many seconds. A reload of the settings changes it.
    private static let maxAge = 60

    /// - Parameter sources: the source of signed URLs is left out: it has no lists, and its items need a
    ///   signature.
    init(_ sources: [any Source], _ levels: [Level], _ address: ServiceAddress) {
        self.sources = sources.filter { $0.name != SignedURL.name }
        self.levels = levels
        self.address = address
    }

    var json: JSON {
        [
            "levels": .list(levels.map(level)),
            "formats": JSON(ThumbnailFormat.allCases.map(\.fileExtension)),
            "sources": .list(sources.map(source)),
        ]
    }

    /// Returns the document for clients, which is constant until the next reload.
    ///
    /// - Parameter isForAll: whether every client gets the same.
    func prepared(isForAll: Bool) -> PreparedDocument {
        var fields: HTTPFields = [
            .contentType: "application/json",
            .cacheControl: "\(isForAll ? "public" : "private"), max-age=\(Self.maxAge)",
            .xContentTypeOptions: "nosniff",
        ]
        fields.allowAnyPage()
        return PreparedDocument(json.sortedBytes, fields, .thorough)
    }

    private func level(_ level: Level) -> JSON {
        let fit =
            switch level.fit {
            case .contain: "contain"
            case .cover: "cover"
            case .ground: "ground"
            }
        return ["name": .text(level.name), "fit": .text(fit)] + .size(level.width, level.height)
    }

    private func source(_ source: any Source) -> JSON {
        [
            "name": .text(source.name), "title": .text(source.title),
            "kinds": .list(
                source.kinds.map { kind in
                    ["name": .text(kind), "title": .text(source.title(ofKind: kind))]
                }),
            "lists": .list(source.lists.map { list($0, of: source) }),
            // What its operator has to set before it works.
            "missing": JSON(source.missing),
        ]
    }

    private func list(_ list: ListDescription, of source: any Source) -> JSON {
        let own = list.parameters.map(\.name)
        return [
            "name": .text(list.name), "title": .text(list.title),
            // `{id}` in the name stands for an id of the source's first kind.
            "url": .text(address.reference("/v1/\(source.name)/\(list.name)")),
            "parameters": JSON(own), "required": JSON(list.required.sorted()),
            // The filters of every list that its entries have something for.
            "filters": JSON(
                CatalogFilter.parameterNames.filter {
                    source.filters.contains($0) && !own.contains($0)
                }),
            // Takes search words.
            "search": JSON(list.term),
        ]
    }
}
