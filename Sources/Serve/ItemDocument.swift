import Catalog
import FoundationEssentials
import Imaging
import JSON
import Pipeline
import Store

extension JSON {
    /// Returns one item in the JSON form of the API.
    ///
    /// - Parameters:
    ///   - source: of the item; nil if it isn't configured any more.
    ///   - address: of the links to its thumbnails.
    ///   - isFavorite: nil for clients that may not use favorites.
    static func item(
        _ entry: CatalogEntry, _ shown: ShownPicture?, levels: [Level], source: (any Source)?,
        address: ServiceAddress, now: Date, isFavorite: Bool?
    ) -> JSON {
        let item = entry.item.description
        let summary = shown?.summary
        // `null` if the source names none, a list doesn't include it, or no thumbnail exists yet.
        var document: JSON = [
            "id": .text(entry.item.id), "item": .text(item), "title": .text(entry.title),
            "language": JSON(entry.language), "subtitle": JSON(entry.subtitle),
            "objectNumber": JSON(entry.objectNumber), "date": JSON(entry.date),
            "genres": JSON(entry.genres), "summary": JSON(entry.summary),
            "link": JSON(entry.link),
            // A URL or a short text.
            "rights": JSON(entry.rights),
            // The item whose picture is better for a view of this one alone; `null` if its own is the best.
            "detail": source?.detail(of: entry.item).map { ["item": .text($0.description)] }
                ?? .null,
            "aspectRatio": JSON(summary.map { Double($0.width) / Double($0.height) }),
            "thumbhash": JSON(summary.map { Data($0.thumbHash).base64EncodedString() }),
            "color": JSON(summary?.color.hex),
        ]
        // Absent for other items, and if the source doesn't name them.
        document.add("tracks", entry.tracks.map { .list($0.map(track)) })
        document.add("medium", entry.medium.map(JSON.text))
        document.add("type", entry.type.map(JSON.text))
        document.add("technique", entry.technique.map(JSON.text))
        document.add("material", entry.material.map(JSON.text))
        document.add("dimensions", entry.dimensions.map(JSON.text))
        document.add("creditLine", entry.creditLine.map(JSON.text))
        document.add("followers", entry.followers.map(JSON.integer))
        document.add("trackCount", entry.trackCount.map(JSON.integer))
        document.add("milliseconds", entry.milliseconds.map(JSON.integer))
        document.add("favorite", isFavorite.map(JSON.flag))
        // Absent until a thumbnail exists.
        document.add("original", summary.map { size($0.width, $0.height) })
        // Absent unless it is remembered that the picture is missing.
        document.add("failure", (shown?.failure?.kind.rawValue).map(JSON.text))
        document.add("problem", shown?.failure.map { problem($0, source, now: now) })
        // An item that is known to have no picture has no links to one.
        let hasNone = shown.map { $0.sizes.isEmpty && $0.failure?.isTransient == false } ?? false
        return document + thumbnails(of: item, shown, hasNone ? [] : levels, address)
    }

    private static func track(_ track: Track) -> JSON {
        var document: JSON = ["title": .text(track.title)]
        document.add("disc", track.disc.map(JSON.integer))
        document.add("number", track.number.map(JSON.integer))
        document.add("milliseconds", track.milliseconds.map(JSON.integer))
        return document
    }

    /// Returns why an item has no picture, for people and in detail, and the seconds after which a
    /// retry may succeed; `null` if none can.
    private static func problem(
        _ failure: Failure, _ source: (any Source)?, now: Date
    ) -> JSON {
        let left = failure.until.timeIntervalSince(now).rounded(.up)
        return [
            "message": .text(ErrorResponse.message(failure, source) ?? failure.reason),
            "cause": .text(failure.reason),
            "retryAfter": JSON(failure.isTransient ? Int(min(max(1, left), 86_400)) : nil),
        ]
    }

    /// Returns the links of all levels, and a set of those of one shape, of which a browser takes any for the
    /// same place. A thumbnail that exists has its exact pixels, others those of the level's box.
    private static func thumbnails(
        of item: String, _ shown: ShownPicture?, _ levels: [Level], _ address: ServiceAddress
    ) -> JSON {
        var links: JSON = [:]
        var candidates: [String] = []
        let shaped = levels.ofOneShape
        for level in levels {
            let size = shown?.sizes.first { $0.level == level }
            let url = address.reference(Route.thumbnailPath(level: level.name, item: item))
            let pixels = JSON.size(size?.width ?? level.width, size?.height ?? level.height)
            links.add(level.name, ["url": .text(url), "box": .flag(size == nil)] + pixels)
            if shaped.contains(level) {
                candidates.append("\(url) \(size?.width ?? level.width)w")
            }
        }
        return ["thumbnails": links, "srcset": .text(candidates.joined(separator: ", "))]
    }
}

extension MediaPipeline {
    /// Returns items in the JSON form of the API, each with what its catalog says of it.
    ///
    /// - Parameters:
    ///   - favorites: those among the items; nil for clients that may not use favorites.
    ///   - address: of the links to their thumbnails.
    func documents(
        of items: [(item: Item, entry: CatalogEntry)], favorites: Set<Item>?,
        _ address: ServiceAddress
    ) async throws(Failure) -> [JSON] {
        let shown = try await pictures.shown(items.map(\.item))
        return items.map { item, entry in
            .item(
                entry, shown[item], levels: configuration.levels,
                // Nil for a source that isn't configured any more.
                source: try? sources.named(entry.item.source), address: address, now: now(),
                isFavorite: favorites?.contains(item))
        }
    }
}

extension JSON {
    /// Returns one page of a list in the JSON form of the API.
    ///
    /// - Parameter totalOf: what `total` counts: `list`, the whole list at its source, whatever the
    ///   filters let through, or `matches`, what they let through.
    static func page(
        _ items: [JSON], next: String? = nil, total: Int?, totalOf: String, isStale: Bool,
        fetchedAt: Date, expiresAt: Date
    ) -> JSON {
        [
            "items": .list(items), "next": JSON(next), "total": JSON(total),
            "totalOf": .text(totalOf), "stale": .flag(isStale), "fetchedAt": date(fetchedAt),
            "expiresAt": date(expiresAt),
        ]
    }
}
