import Catalog
import HTTPTypes
import Imaging
import JSON

/// `/v1`: what a client may ask for, as a program reads it. Pure.
struct OverviewDocument: Sendable {
    let sources: [any Source]
    /// Smallest first.
    let levels: [Level]

    var json: JSON {
        [
            "sources": .list(sources.filter { $0.name != SignedURL.name }.map(Self.source)),
            "levels": .list(levels.map(Self.level)),
            // WebP and JPEG are negotiated; the others are made if the path names them.
            "formats": JSON(ThumbnailFormat.allCases.map(\.fileExtension)),
        ]
    }

    /// Returns the document for clients, which is constant while the settings are in force.
    func prepared(isForAll: Bool) -> PreparedDocument {
        PreparedDocument(
            json.sortedBytes,
            [
                .contentType: "application/json",
                .cacheControl: isForAll ? "public, max-age=60" : "private, max-age=60",
                .xContentTypeOptions: "nosniff", .accessControlAllowOrigin: "*",
            ])
    }

    private static func source(_ source: any Source) -> JSON {
        [
            "name": .text(source.name), "title": .text(source.title), "kinds": JSON(source.kinds),
            "lists": .list(source.lists.map { list($0, source) }),
            // What its operator has to set before it works; `null` if it is complete.
            "missing": JSON(source.missing),
        ]
    }

    private static func list(_ list: ListDescription, _ source: any Source) -> JSON {
        let own = list.parameters.map(\.name)
        return [
            "name": .text(list.name), "title": .text(list.title),
            "url": .text("/v1/\(source.name)/\(list.name)"),
            "parameters": JSON(own), "required": JSON(list.required.sorted()),
            // The filters of every list that its entries have something for.
            "filters": JSON(
                CatalogFilter.parameterNames.filter {
                    source.filters.contains($0) && !own.contains($0)
                }),
        ]
    }

    private static func level(_ level: Level) -> JSON {
        let isCut = if case .cover = level.fit { true } else { false }
        return ["name": .text(level.name), "fit": .text(isCut ? "cover" : "contain")]
            + .size(level.width, level.height)
    }
}
