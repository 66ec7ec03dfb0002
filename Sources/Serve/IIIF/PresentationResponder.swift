import Catalog
import FoundationEssentials
import HTTPTypes
import Hashing
import Imaging
import JSON
import Pipeline

/// Responds to `/iiif/presentation/3/…`: lists as collections, items as manifests (IIIF Presentation
/// API 3), so that viewers open them.
struct PresentationResponder: Sendable {
    static let root = "/iiif/presentation/3"
    private static let context = "http://iiif.io/api/presentation/3/context.json"

    let pipeline: MediaPipeline
    let address: ServiceAddress

    private var tags: TagFields { TagFields(pipeline.configuration) }

    static func manifestPath(_ identifier: String) -> String {
        "\(root)/\(PercentCoding.encoded(identifier))/manifest"
    }

    // MARK: - Collections

    func collection(
        _ source: String, _ list: String, _ parameters: [(String, String)], _ request: Request
    ) async throws(Failure) -> Response {
        let wanted = try ListRequest(source: source, list: list, parameters, of: pipeline)
        let language = try LanguagePreference(parameters, request)
        let page = try await pipeline.catalog.page(wanted.query, forClient: true)
        let entries = page.items.map { $0.entry.inLanguage(language) }
            .filter(wanted.filter.matches)
        let shown = try await pipeline.pictures.shown(entries.map(\.item))
        let address = address.start(request)
        let start = address.url
        func url(_ query: ListQuery) -> String {
            "\(start)\(Self.root)/\(query.source)/\(PercentCoding.encoded(query.list, keeping: "/"))"
                + wanted.queryString(query)
        }
        let title = try pipeline.sources.named(source).title
        var items = entries.map { entry -> JSON in
            let id = start + Self.manifestPath(entry.item.description)
            return self.entry(entry, id) + [
                "thumbnail": thumbnail(
                    of: entry.item, start, sizes: shown[entry.item]?.sizes ?? [])
            ]
        }
        // A collection has no pages. The next page is a collection at its end.
        if let next = page.next {
            items.append(
                [
                    "id": .text(url(next)), "type": "Collection",
                    "label": Self.text("\(title): \(list), continued", nil),
                ])
        }
        let document: JSON = [
            "@context": .text(Self.context), "id": .text(url(wanted.query)), "type": "Collection",
            "label": Self.text("\(title): \(list)", nil), "items": .list(items),
        ]
        let left = page.isStale ? 0 : page.expiresAt.timeIntervalSince(pipeline.now())
        return answer(
            document, maxAge: left, address, request,
            LanguagePreference.fields(of: entries)
                + tags.of(entries.map(\.item), sources: [source]))
    }

    // MARK: - Manifests

    func manifest(
        _ identifier: String, _ parameters: [(String, String)], _ request: Request
    ) async throws(Failure) -> Response {
        let (item, _) = try pipeline.item(identifier: identifier)
        let language = try LanguagePreference(parameters, request)
        let found = try await pipeline.catalog.details(of: item)
        let entry = found.details.entry.inLanguage(language)
        let facts = try await pipeline.zoom.facts(of: item)
        let address = address.start(request)
        let start = address.url
        let id = start + Self.manifestPath(identifier)
        let service = start + IIIFRoute.path(.three, identifier)
        var document =
            self.entry(entry, id) + [
                "@context": .text(Self.context), "metadata": Self.metadata(entry),
                "thumbnail": [thumbnail(service, of: item, facts.size)],
                "items": [canvas(id, service, of: item, facts.size)],
            ]
        if let rights = entry.rights {
            if rights.hasPrefix("http://") || rights.hasPrefix("https://") {
                document.add("rights", .text(rights))
            } else {
                document.add(
                    "requiredStatement",
                    ["label": Self.text("Rights", "en"), "value": Self.text(rights, nil)])
            }
        }
        if let link = entry.link {
            document.add(
                "homepage",
                [
                    [
                        "id": .text(link), "type": "Text", "format": "text/html",
                        "label": Self.text(entry.title, entry.language),
                    ]
                ])
        }
        let known = min(found.expiresAt, facts.freshUntil).timeIntervalSince(pipeline.now())
        let left = facts.isExpected ? min(known, Double(Zoom.previewAge)) : known
        return answer(
            document, maxAge: left, address, request,
            LanguagePreference.fields(of: [entry]) + tags.of(item))
    }

    private func canvas(
        _ id: String, _ service: String, of item: Item, _ size: ZoomSize
    ) -> JSON {
        let most = IIIFSize.Limits(pipeline).largest(of: size)
        let body =
            image("\(service)/full/max/0/default.jpg", service, of: item)
            + .size(most.width, most.height)
        let annotation: JSON = [
            "id": .text("\(id)/canvas/1/page/1/painting"), "type": "Annotation",
            "motivation": "painting", "body": body, "target": .text("\(id)/canvas/1"),
        ]
        return [
            "id": .text("\(id)/canvas/1"), "type": "Canvas",
            "items": [
                [
                    "id": .text("\(id)/canvas/1/page/1"), "type": "AnnotationPage",
                    "items": [annotation],
                ]
            ],
        ] + .size(size.width, size.height)
    }

    // MARK: - Parts of both

    /// What a collection and a manifest say of an item.
    private func entry(_ entry: CatalogEntry, _ id: String) -> JSON {
        var document: JSON = [
            "id": .text(id), "type": "Manifest", "label": Self.text(entry.title, entry.language),
        ]
        document.add("summary", entry.summary.map { Self.text($0, entry.language) })
        return document
    }

    /// Returns the thumbnails of an item in a list. Their sizes are known once they are made.
    private func thumbnail(
        of item: Item, _ start: String, sizes: [ThumbnailSize]
    ) -> JSON {
        let service = start + IIIFRoute.path(.three, item.description)
        let size = sizes.last { $0.level.width <= Self.thumbnailWidth } ?? sizes.first
        guard let level = size?.level ?? levelOfThumbnails else { return [] }
        let path = Route.thumbnailPath(level: level.name, item: item.description)
        let image = image("\(start)\(path).jpg", service, of: item)
        return [size.map { image + .size($0.width, $0.height) } ?? image]
    }

    private func thumbnail(
        _ service: String, of item: Item, _ size: ZoomSize
    ) -> JSON {
        let fitted = levelOfThumbnails.map { size.fitting($0) } ?? size
        let url = "\(service)/full/\(fitted.width),\(fitted.height)/0/default.jpg"
        return image(url, service, of: item) + .size(fitted.width, fitted.height)
    }

    private func image(_ url: String, _ service: String, of item: Item) -> JSON {
        [
            "id": .text(url), "type": "Image", "format": "image/jpeg",
            "service": description(service, of: item),
        ]
    }

    /// Viewers show thumbnails in about this width.
    private static let thumbnailWidth = 320

    private var levelOfThumbnails: Level? {
        let levels = pipeline.configuration.levels
        return levels.last { $0.width <= Self.thumbnailWidth } ?? levels.first
    }

    /// Returns what a document says of the service at an item's URL.
    private func description(_ id: String, of item: Item) -> JSON {
        let level = IIIFLevel(of: item, pipeline.sources)
        return [["id": .text(id), "type": "ImageService3", "profile": .text(level.rawValue)]]
    }

    private static func metadata(_ entry: CatalogEntry) -> JSON {
        let values: [(String, String?)] = [
            ("Subtitle", entry.subtitle), ("Date", entry.date), ("Number", entry.objectNumber),
            ("Medium", entry.medium), ("Dimensions", entry.dimensions),
            ("Credit line", entry.creditLine),
            ("Genres", entry.genres.isEmpty ? nil : entry.genres.joined(separator: ", ")),
        ]
        return .list(
            values.compactMap { label, value in
                value.map { ["label": text(label, "en"), "value": text($0, entry.language)] }
            })
    }

    /// Returns a text by its language, `none` if that is not known.
    private static func text(_ text: String, _ language: String?) -> JSON {
        [language ?? "none": [.text(text)]]
    }

    private func answer(
        _ document: JSON, maxAge: Double, _ address: ServiceAddress.Start, _ request: Request,
        _ more: HTTPFields
    ) -> Response {
        let body = document.sortedBytes
        var fields: HTTPFields = [
            .contentType: request.jsonType(context: Self.context),
            .vary: "Accept", .eTag: Digest(of: body).entityTag,
            .cacheControl:
                "public, max-age=\(Int(min(max(0, maxAge), Double(CatalogResponder.maxAge))))",
            .accessControlAllowOrigin: "*", .accessControlExposeHeaders: HTTPFields.exposed,
            .xContentTypeOptions: "nosniff",
        ]
        fields.append(contentsOf: more)
        if !address.isKnown { fields.forbidStoring() }
        return Response(status: .ok, fields: fields, body: body).unlessKnown(to: request)
    }
}
