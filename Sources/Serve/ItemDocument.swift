import Catalog
import FoundationEssentials
import Imaging
import Pipeline
import Store

/// One item in the JSON form of the API.
struct ItemDocument: Encodable {
    struct ThumbnailLink: Encodable {
        var url: String
        /// Exact width in pixels; `null` until a thumbnail exists.
        @Nullable var width: Int?
        @Nullable var height: Int?
    }

    /// Another item.
    struct Link: Encodable {
        var item: String
    }

    /// Why the item has no picture.
    struct PictureProblem: Encodable {
        var message: String
        /// What happened in detail, such as libcurl's words.
        var cause: String
        /// Seconds after which a retry may succeed; `null` if none can.
        @Nullable var retryAfter: Int?

        init(_ failure: Failure, _ source: (any Source)?, now: Date) {
            message = ErrorResponse.message(failure, source) ?? failure.reason
            cause = failure.reason
            let left = failure.until.timeIntervalSince(now).rounded(.up)
            retryAfter = failure.isTransient ? Int(min(max(1, left), 86_400)) : nil
        }
    }

    var id: String
    var item: String
    var title: String
    /// Language tag of the title, if its source names it.
    @Nullable var language: String?
    @Nullable var subtitle: String?
    @Nullable var objectNumber: String?
    @Nullable var date: String?
    var genres: [String]
    @Nullable var summary: String?
    @Nullable var link: String?
    /// A URL or a short text; `null` if the source names none, or a list doesn't include it.
    @Nullable var rights: String?
    /// Whether it is a favorite; absent for clients that may not use favorites.
    var favorite: Bool?
    /// The songs of an album, in order; absent for other items.
    var tracks: [Track]?
    /// These are absent if the source doesn't name them. What it is made of and how.
    var medium: String?
    var type: String?
    var technique: String?
    var material: String?
    var dimensions: String?
    var creditLine: String?
    var followers: Int?
    var trackCount: Int?
    /// Playing time of an album.
    var milliseconds: Int?
    /// Pixels of the original as seen; absent until a thumbnail exists.
    var original: PixelSize?
    /// Why the picture is missing, while that is remembered: `absent`, `unavailable`, `timedOut`,
    /// `rejected` or `refused`; absent otherwise.
    var failure: String?
    /// The same for people, while it is remembered; absent otherwise.
    var problem: PictureProblem?
    /// The item whose picture is better for a view of this one alone; `null` if its own is the best.
    @Nullable var detail: Link?
    /// Aspect ratio of the original; like the next two members `null` until a thumbnail exists.
    @Nullable var aspectRatio: Double?
    /// ThumbHash in base64.
    @Nullable var thumbhash: String?
    /// The dominant color, `#rrggbb`.
    @Nullable var color: String?
    var thumbnails: [String: ThumbnailLink]
    var srcset: String

    /// - Parameter source: of the item; nil if it isn't configured any more.
    init(
        _ entry: CatalogEntry, _ shown: ShownPicture?, levels: [Level], source: (any Source)?,
        now: Date, isFavorite: Bool?
    ) {
        detail = source?.detail(of: entry.item).map { Link(item: $0.description) }
        problem = shown?.failure.map { PictureProblem($0, source, now: now) }
        favorite = isFavorite
        id = entry.item.id
        item = entry.item.description
        title = entry.title
        language = entry.language
        subtitle = entry.subtitle
        objectNumber = entry.objectNumber
        date = entry.date
        genres = entry.genres
        summary = entry.summary
        link = entry.link
        rights = entry.rights
        tracks = entry.tracks
        medium = entry.medium
        type = entry.type
        technique = entry.technique
        material = entry.material
        dimensions = entry.dimensions
        creditLine = entry.creditLine
        followers = entry.followers
        trackCount = entry.trackCount
        milliseconds = entry.milliseconds
        let summary = shown?.summary
        original = summary.map { PixelSize(width: $0.width, height: $0.height) }
        failure = shown?.failure?.kind.rawValue
        aspectRatio = summary.map { Double($0.width) / Double($0.height) }
        thumbhash = summary.map { Data($0.thumbHash).base64EncodedString() }
        color = summary?.color.hex
        thumbnails = [:]
        var candidates: [String] = []
        // A browser takes any of a set for the same place.
        let shaped = levels.ofOneShape
        for level in levels {
            let size = shown?.sizes.first { $0.level == level }
            let url = Route.thumbnailPath(level: level.name, item: item)
            thumbnails[level.name] = ThumbnailLink(
                url: url, width: size?.width, height: size?.height)
            if shaped.contains(level) {
                candidates.append("\(url) \(size?.width ?? level.width)w")
            }
        }
        srcset = candidates.joined(separator: ", ")
    }
}

extension MediaPipeline {
    /// - Parameter isFavorite: nil for clients that may not use favorites.
    func document(
        _ entry: CatalogEntry, _ shown: ShownPicture?, isFavorite: Bool?
    ) -> ItemDocument {
        ItemDocument(
            entry, shown, levels: configuration.levels,
            source: try? sources.named(entry.item.source), now: now(), isFavorite: isFavorite)
    }
}
