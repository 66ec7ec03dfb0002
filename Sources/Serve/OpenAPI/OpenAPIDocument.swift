import Catalog
import HTTPTypes
import Imaging
import JSON
import Pipeline

/// The OpenAPI 3.1 description of the service, generated from its routes, sources and levels. Its paths are
/// templates of ``Route``'s grammar; a test parses them all.
struct OpenAPIDocument: Sendable {
    private let levels: [Level]
    private(set) var operations: [OpenAPIOperation] = []

    /// - Parameter includes: returns whether the reader may ask for a route.
    init(
        _ sources: [any Source], _ levels: [Level],
        includes: (Route) -> Bool = { _ in true }
    ) {
        self.levels = levels
        operations = (sources.flatMap(operations(of:)) + common).filter { operation in
            operation.route.map(includes) ?? true
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
    ///
    /// - Parameter isForAll: whether every client gets the same.
    func prepared(isForAll: Bool) -> PreparedDocument {
        PreparedDocument(
            json.sortedBytes,
            [
                .contentType: "application/json",
                .cacheControl: isForAll ? "public, max-age=3600" : "private, max-age=60",
                .xContentTypeOptions: "nosniff", .accessControlAllowOrigin: "*",
                .accessControlExposeHeaders: HTTPFields.exposed,
            ], .thorough)
    }

    // MARK: - Paths

    /// Returns the operations of one source: its items and its lists.
    private func operations(of source: any Source) -> [OpenAPIOperation] {
        if source.name == SignedURL.name { return [signed] }
        return source.kinds.flatMap { items($0, source) }
            + source.lists.flatMap { operations(of: $0, source) }
    }

    /// The operations that belong to no source.
    private var common: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                path: "/b/{digest}", summary: "A blob by its digest, immutable, with ranges",
                parameters: [
                    path("digest", ["type": "string", "pattern": "^sha256-[0-9a-f]{64}$"])
                ],
                content: Self.anyImage, alsoGood: [206, 304],
                problems: [400, 404, 410, 416, 451, 500, 503])
        ] + iiif + [manifest] + [
            OpenAPIOperation(
                path: "/v1/favorites", summary: "Favorites; PUT puts them in an order",
                parameters: CatalogFilter.parameterNames.map { query($0, Self.schema($0)) }
                    + [language],
                content: Self.json("Page"),
                problems: [400, 401, 403, 404, 413, 415, 500, 503], body: ["type": "object"]),
            OpenAPIOperation(
                path: "/v1/recent", summary: "Items of a source that got a picture last",
                parameters: [query("source", ["type": "string"], isRequired: true), language],
                content: Self.json("Page"), problems: [400, 401, 403, 404, 500, 503]),
            OpenAPIOperation(
                path: "/v1/status", summary: "How the service is doing, also as events",
                content: [
                    "application/json": OpenAPISchemas.reference("Status"),
                    "text/event-stream": ["type": "string"],
                ], problems: [400, 503]),
            OpenAPIOperation(
                path: "/v1/history", summary: "Searches that were made",
                content: Self.json("History"),
                problems: [400, 401, 403, 500, 503]),
            OpenAPIOperation(
                path: "/", summary: "The gallery, a page for browsers",
                content: ["text/html": [:]], alsoGood: [304], problems: [400]),
            OpenAPIOperation(
                path: "/v1", summary: "Sources, lists, kinds, levels and formats",
                content: Self.json("Service"), alsoGood: [304], problems: [400]),
            OpenAPIOperation(
                path: "/openapi.json", summary: "This document",
                content: Self.object,
                alsoGood: [304], problems: [400]),
            OpenAPIOperation(
                path: "/robots.txt", summary: "What crawlers should leave alone",
                content: Self.plain, alsoGood: [304], problems: [400]),
            OpenAPIOperation(
                path: "/healthz", summary: "Liveness", content: Self.plain, problems: [400]),
            OpenAPIOperation(
                path: "/readyz", summary: "Readiness, by a picture through the render threads",
                content: Self.plain, problems: [400, 503]),
            OpenAPIOperation(
                path: "/admin/warm",
                summary: "The warm runs; begin to warm items, URLs or a list; with the token",
                content: Self.object,
                problems: Self.adminProblems + [404, 500, 503],
                body: ["type": "object"], accepted: 202),
            OpenAPIOperation(
                path: "/admin/warm/{id}",
                summary: "How far a warm run is, also as events; cancel it; with the token",
                parameters: [path("id", ["type": "string"])],
                content: [
                    "application/json": ["type": "object"],
                    "text/event-stream": ["type": "string"],
                ], problems: [400, 401, 403, 404, 503]),
            OpenAPIOperation(
                path: "/admin/purge", summary: "Forget an item, a source or all; with the token",
                content: Self.object, alsoGood: [202],
                problems: Self.adminProblems + [404, 500, 503], body: ["type": "object"]),
            OpenAPIOperation(
                path: "/admin/block", summary: "What is never shown; with the token",
                content: Self.object, problems: [400, 401, 403]),
            OpenAPIOperation(
                path: "/admin/block/{target}",
                summary:
                    "Block an item, a URL, the beginning of items or a digest, and unblock it; "
                    + "with the token",
                parameters: [path("target", ["type": "string"])], content: Self.object,
                problems: Self.adminProblems + [404, 500, 503, 507], body: ["type": "object"],
                changed: [200, 202], needsBody: false),
            OpenAPIOperation(
                path: "/metrics", summary: "Metrics in Prometheus' text format",
                content: Self.plain, problems: [400, 503]),
        ]
    }

    private var manifest: OpenAPIOperation {
        OpenAPIOperation(
            path: "\(PresentationResponder.root)/{identifier}/manifest",
            summary: "An item for viewers (IIIF Presentation API 3); item with %2F for /",
            parameters: [identifier, language], content: Self.linked,
            alsoGood: [304], problems: [400, 403, 404, 410, 415, 451, 500, 502, 503, 504, 507])
    }

    private var identifier: JSON {
        path("identifier", ["type": "string", "pattern": "^[^/]+(/[^/]+){2,}$"])
    }

    /// The IIIF Image API, whose own specification says the rest.
    private var iiif: [OpenAPIOperation] {
        let problems = [400, 403, 404, 410, 415, 429, 451, 500, 502, 503, 504, 507]
        let parts: [(String, JSON)] = [
            (
                "region",
                ["type": "string", "pattern": "^(full|square|(pct:)?[0-9.]+(,[0-9.]+){3})$"]
            ),
            (
                "size",
                ["type": "string", "pattern": "^\\^?(max|full|pct:[0-9.]+|!?[0-9]*,[0-9]*)$"]
            ),
            ("rotation", ["type": "string", "pattern": "^!?(0|90|180|270)$"]),
            ("quality", ["type": "string", "enum": ["default", "color", "gray", "bitonal"]]),
            ("format", ["type": "string", "enum": ["jpg", "png", "webp"]]),
        ]
        return IIIFVersion.allCases.flatMap { version in
            [
                OpenAPIOperation(
                    path: "\(version.root)/{identifier}/info.json",
                    summary: "What the IIIF service of a picture offers; item with %2F for /",
                    parameters: [identifier],
                    content: Self.linked, alsoGood: [304], problems: problems),
                OpenAPIOperation(
                    path:
                        "\(version.root)/{identifier}/{region}/{size}/{rotation}/{quality}.{format}",
                    summary: "A part of a picture (IIIF Image API \(version.rawValue))",
                    parameters: [identifier] + parts.map { path($0.0, $0.1) },
                    content: ["image/jpeg": [:], "image/png": [:], "image/webp": [:]],
                    alsoGood: [304], problems: problems + [501]),
            ]
        }
    }

    private static let adminProblems = [400, 401, 403, 413, 415]

    private func items(_ name: String, _ source: any Source) -> [OpenAPIOperation] {
        let kind = "\(source.name)/\(name)"
        let id = path("id", Self.id(source.idPattern(ofKind: name)))
        let all = [400, 403, 404, 410, 415, 451, 500, 502, 503, 504, 507]
        var operations = ([nil] + ThumbnailFormat.allCases.map(\.fileExtension)).map { ending in
            thumbnail(
                "/t/{level}/\(kind)/{id}" + (ending.map { ".\($0)" } ?? ""), ending,
                [path("level", levelName), id])
        }
        operations.append(
            OpenAPIOperation(
                path: "/o/\(kind)/{id}", summary: "The original as its origin sent it, with ranges",
                parameters: [id], content: Self.anyImage,
                alsoGood: [206, 304], problems: all + [416]))
        operations.append(
            OpenAPIOperation(
                path: "/v1/\(kind)/{id}", summary: "One item",
                parameters: [id, language], content: Self.json("Item"), alsoGood: [304],
                problems: all))
        operations.append(
            OpenAPIOperation(
                path: "/v1/explain/\(kind)/{id}", summary: "Where an item's picture comes from",
                parameters: [id],
                content: Self.json("Explanation"), problems: all + [401]))
        operations.append(
            OpenAPIOperation(
                path: "/v1/favorites/\(kind)/{id}", summary: "Whether an item is a favorite",
                parameters: [id, language],
                content: Self.json("Item"), problems: all + [401, 409]))
        return operations
    }

    private var signed: OpenAPIOperation {
        let code: JSON = ["type": "string", "pattern": "^[A-Za-z0-9_-]+$"]
        return thumbnail(
            "/t/{level}/url/{signature}/{url}", nil,
            [
                path("level", levelName), path("signature", code), path("url", code),
                query("expires", ["type": "integer", "minimum": 0]),
            ])
    }

    private func thumbnail(
        _ path: String, _ ending: String?, _ parameters: [JSON]
    ) -> OpenAPIOperation {
        let formats = ending.flatMap(ThumbnailFormat.init(fileExtension:)).map { [$0] }
        let types = (formats ?? [.webp, .jpeg]).map(\.contentType)
        return OpenAPIOperation(
            path: path, summary: "The thumbnail, or the placeholder with the true status",
            parameters: parameters,
            content: Dictionary(uniqueKeysWithValues: types.map { ($0, [:]) }), alsoGood: [304],
            problems: [400, 403, 404, 410, 415, 451, 500, 502, 503, 504, 507],
            hasPlaceholder: true)
    }

    private func operations(
        of list: ListDescription, _ source: any Source
    ) -> [OpenAPIOperation] {
        let own = list.parameters.map(\.name)
        var parameters = own.map { name in
            query(name, Self.schema(name), isRequired: list.required.contains(name))
        }
        if list.name.contains("{id}"), let kind = source.kinds.first {
            parameters.append(self.path("id", Self.id(source.idPattern(ofKind: kind))))
        }
        parameters += CatalogFilter.parameterNames
            .filter { source.filters.contains($0) && !own.contains($0) }
            .map { query($0, Self.schema($0)) }
        parameters.append(language)
        let path = "\(source.name)/\(list.name)"
        let problems = [400, 404, 500, 502, 503, 504]
        let page = OpenAPIOperation(
            path: "/v1/\(path)", summary: "A page of the list",
            parameters: parameters, content: Self.json("Page"),
            alsoGood: [304], problems: problems)
        let collection = OpenAPIOperation(
            path: "\(PresentationResponder.root)/\(path)",
            summary: "A page of the list for viewers (IIIF Presentation API 3)",
            parameters: parameters, content: Self.linked, alsoGood: [304],
            problems: problems)
        parameters.append(self.path("level", levelName))
        let sheet = "/sheet/{level}/\(path)"
        return [
            page, collection,
            OpenAPIOperation(
                path: sheet, summary: "Every thumbnail of the page in one picture",
                parameters: parameters,
                content: ["image/webp": [:], "image/jpeg": [:]], alsoGood: [304],
                problems: problems + [415, 507]),
            OpenAPIOperation(
                path: sheet + ".json", summary: "Where each thumbnail is on that picture",
                parameters: parameters, content: Self.json("Sheet"),
                alsoGood: [304], problems: problems + [415, 507]),
        ]
    }

    private var levelName: JSON {
        ["type": "string", "enum": .list(levels.map { .text($0.name) })]
    }

    private var language: JSON {
        query(
            "lang",
            [
                "type": "string",
                "pattern": #"^\s*([A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,3})?\s*$"#,
            ])
    }

    private func path(_ name: String, _ schema: JSON) -> JSON {
        ["name": .text(name), "in": "path", "required": true, "schema": schema]
    }

    private func query(
        _ name: String, _ schema: JSON, isRequired: Bool = false
    ) -> JSON {
        ["name": .text(name), "in": "query", "required": .flag(isRequired), "schema": schema]
    }

    private static let linked: [String: JSON] = [
        "application/json": ["type": "object"], "application/ld+json": ["type": "object"],
    ]
    private static let object: [String: JSON] = ["application/json": ["type": "object"]]
    private static let plain: [String: JSON] = ["text/plain": ["type": "string"]]
    private static let anyImage: [String: JSON] = [
        "image/*": [:], "multipart/byteranges": [:], "application/octet-stream": [:],
    ]

    private static func json(_ schema: String) -> [String: JSON] {
        ["application/json": OpenAPISchemas.reference(schema)]
    }

    private static func id(_ pattern: String) -> JSON {
        ["type": "string", "pattern": .text(pattern)]
    }

    private static func schema(_ name: String) -> JSON {
        switch name {
        case "page", "offset": ["type": "string", "pattern": "^[0-9]*$"]
        case "from", "to":
            ["type": "string", "pattern": "^([0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?)?$"]
        case "q", "term": ["type": "string", "pattern": visible, "minLength": 3]
        default: ["type": "string", "pattern": visible]
        }
    }

    /// Pattern without control characters, which every part of a target rejects.
    private static let visible: JSON = "^[^\\u0000-\\u001F\\u007F]*$"
}
