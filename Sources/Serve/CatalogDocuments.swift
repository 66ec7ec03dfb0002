import Catalog
import FoundationEssentials
import Imaging
import Pipeline
import Store

/// One item in the one JSON form of the contract.
struct ItemDocument: Encodable {
    struct ThumbnailLink: Encodable {
        var url: String
        /// Exact pixels; `null` until a thumbnail exists.
        @Nullable var width: Int?
        @Nullable var height: Int?
    }

    var id: String
    var item: String
    var title: String
    /// Language tag of the title, where its source tells.
    @Nullable var language: String?
    @Nullable var subtitle: String?
    @Nullable var objectNumber: String?
    @Nullable var date: String?
    var genres: [String]
    @Nullable var summary: String?
    @Nullable var link: String?
    /// A URL or a short text; `null` where its source says nothing, or a list not yet.
    @Nullable var rights: String?
    /// Whether it is a favorite; left out for clients that may not use favorites.
    var favorite: Bool?
    /// The songs of an album, in order; left out where there are none.
    var tracks: [Track]?
    /// Of the original; like the two below `null` until a thumbnail exists.
    @Nullable var aspectRatio: Double?
    /// ThumbHash in base64.
    @Nullable var thumbhash: String?
    /// The dominant colour, `#rrggbb`.
    @Nullable var color: String?
    var thumbnails: [String: ThumbnailLink]
    var srcset: String

    init(
        _ entry: CatalogEntry, _ shown: ShownPicture?, levels: [Level], isFavorite: Bool?
    ) {
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
        let summary = shown?.summary
        aspectRatio = summary.map { Double($0.width) / Double($0.height) }
        thumbhash = summary.map { Data($0.thumbHash).base64EncodedString() }
        color = summary?.colour.hex
        thumbnails = [:]
        var candidates: [String] = []
        for level in levels {
            let size = shown?.sizes.first { $0.level == level }
            let url = Route.thumbnailPath(level: level.name, item: item)
            thumbnails[level.name] = ThumbnailLink(
                url: url, width: size?.width, height: size?.height)
            candidates.append("\(url) \(size?.width ?? level.width)w")
        }
        srcset = candidates.joined(separator: ", ")
    }
}

/// One page of a list.
struct PageDocument: Encodable {
    var items: [ItemDocument]
    @Nullable var next: String?
    @Nullable var total: Int?
    var stale: Bool
    var fetchedAt: Date
    var expiresAt: Date
}

/// Writes `null` instead of leaving the key out.
@propertyWrapper
struct Nullable<Value: Encodable>: Encodable {
    var wrappedValue: Value?

    init(wrappedValue: Value?) {
        self.wrappedValue = wrappedValue
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue {
            try container.encode(wrappedValue)
        } else {
            try container.encodeNil()
        }
    }
}

/// Entity tags of documents that are made for the answer.
enum JSONTag {
    static func of(_ body: [UInt8]) -> String { Digest(of: body).description }
}
