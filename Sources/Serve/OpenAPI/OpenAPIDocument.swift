import Catalog
import HTTPTypes
import Imaging
import JSON
import Pipeline

/// The OpenAPI 3.1 description of the service, generated from its routes, sources and levels.
struct OpenAPIDocument: Sendable {
    let operations: [OpenAPIOperation]

    init(
        _ sources: [any Source], _ levels: [Level],
        _ offer: ServerConfiguration.Offer = .everything
    ) {
        let make = OpenAPIPaths(levels: levels)
        operations =
            sources.flatMap(make.operations)
            + make.common.filter { operation in
                (try? Route(path: operation.path[...])).map(offer.includes) ?? true
            }
    }

    var json: JSON {
        [
            "openapi": "3.1.0",
            "info": [
                "title": "Vitrine", "version": "1",
                "summary": "Thumbnails and a media cache for catalogs.",
                "description": .text(
                    "Errors are problem documents (RFC 9457). A missing picture is replaced by a "
                        + "placeholder with the true status."),
            ],
            "paths": JSON(
                Dictionary(operations.map { ($0.path, $0.json) }) { _, last in last }),
            "components": ["schemas": OpenAPISchemas.all],
        ]
    }

    /// Returns the document for clients, which is constant while the service runs.
    var prepared: PreparedDocument {
        PreparedDocument(
            json.sortedBytes,
            [
                .contentType: "application/json", .cacheControl: "public, max-age=3600",
                .xContentTypeOptions: "nosniff", .accessControlAllowOrigin: "*",
            ], .thorough)
    }
}
