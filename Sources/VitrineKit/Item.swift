public import Foundation

/// A show, film, album, artwork or picture, as `/v1` describes it.
public struct Item: Codable, Sendable, Hashable, Identifiable {
    /// `source/kind/id`, such as `tvmaze/show/1`: its name in every path of the service.
    public var id: String
    /// The last part of ``id``, as its source has it.
    public var shortID: String
    public var title: String
    /// Of the title; nil if the source doesn't say it.
    public var language: String?
    public var subtitle: String?
    /// What an inventory or a shop calls it.
    public var objectNumber: String?
    /// `YYYY-MM-DD`, `YYYY-MM` or `YYYY`.
    public var date: String?
    public var genres: [String]
    /// Plain text.
    public var summary: String?
    public var link: String?
    /// Whose picture it is: a URL or a short text.
    public var rights: String?
    /// The item whose picture is better for a view of this one alone; nil if its own is the best.
    public var detail: Reference?
    /// Width through height of the original. Nil until a thumbnail exists, as ``thumbhash`` and ``color`` are.
    public var aspectRatio: Double?
    /// The blurred picture in base64, see ``ThumbHash``.
    public var thumbhash: String?
    /// The dominant color, `#rrggbb`.
    public var color: String?
    /// By the names of levels. Empty if the item is known to have no picture.
    public var thumbnails: [String: Thumbnail]
    /// For an `img` element.
    public var srcset: String
    /// Pixels of the original; nil until a thumbnail exists.
    public var original: PixelSize?
    /// Why its picture is missing, while that is remembered.
    public var failure: Failure?
    public var problem: PictureProblem?
    /// Nil for clients that may not use favorites.
    public var favorite: Bool?

    // What only some sources say.

    public var tracks: [Track]?
    public var medium: String?
    public var type: String?
    public var technique: String?
    public var material: String?
    public var dimensions: String?
    public var creditLine: String?
    public var followers: Int?
    public var trackCount: Int?
    public var milliseconds: Int?

    public struct Reference: Codable, Sendable, Hashable {
        /// `source/kind/id`.
        public var item: String
    }

    public struct Track: Codable, Sendable, Hashable {
        public var title: String
        public var disc: Int?
        public var number: Int?
        public var milliseconds: Int?
    }

    /// Why there is no picture. Later versions of the service may have other reasons.
    public struct Failure: RawRepresentable, Codable, Sendable, Hashable {
        public var rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// The source says that it has none.
        public static let absent = Self(rawValue: "absent")
        public static let unavailable = Self(rawValue: "unavailable")
        public static let timedOut = Self(rawValue: "timedOut")
        public static let rejected = Self(rawValue: "rejected")
        public static let unfinished = Self(rawValue: "unfinished")
        public static let refused = Self(rawValue: "refused")
    }

    public struct PictureProblem: Codable, Sendable, Hashable {
        /// A sentence for people.
        public var message: String
        public var cause: String
        /// Seconds after which a retry may succeed; nil if none can.
        public var retryAfter: Int?
    }

    private enum CodingKeys: String, CodingKey {
        case id = "item"
        case shortID = "id"
        case title, language, subtitle, objectNumber, date, genres, summary, link, rights, detail
        case aspectRatio, thumbhash, color, thumbnails, srcset, original, failure, problem, favorite
        case tracks, medium, type, technique, material, dimensions, creditLine, followers,
            trackCount
        case milliseconds
    }
}

/// Pixels of a picture.
public struct PixelSize: Codable, Sendable, Hashable {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}

/// The thumbnail of one level of an item.
public struct Thumbnail: Codable, Sendable, Hashable {
    /// A path, or a URL if the service knows its public one. ``VitrineClient/url(of:)`` takes either.
    public var url: String
    /// Pixels of the thumbnail; those of the level's box if ``isBox``.
    public var width: Int
    public var height: Int
    /// Whether the thumbnail isn't stored yet, so that its size is not known.
    public var isBox: Bool

    public init(url: String, width: Int, height: Int, isBox: Bool) {
        self.url = url
        self.width = width
        self.height = height
        self.isBox = isBox
    }

    private enum CodingKeys: String, CodingKey {
        case url, width, height
        case isBox = "box"
    }
}

/// A page of a list.
public struct Page: Codable, Sendable, Hashable {
    public var items: [Item]
    /// Path of the next page; nil at the end of the list.
    public var next: String?
    /// How many there are, see ``totalOf``; nil if the source doesn't say it.
    public var total: Int?
    /// `list`: the whole list, whatever the filters let through; `matches`: what they let through.
    public var totalOf: String
    /// Pages of the source that were filtered for this one; nil without filters.
    public var searchedPages: Int?
    /// Of a folder's list.
    public var directories: [Directory]?
    /// Whether the source couldn't be asked, so that this is what was stored.
    public var stale: Bool
    public var fetchedAt: Date
    public var expiresAt: Date

    public struct Directory: Codable, Sendable, Hashable {
        public var dir: String
        /// Path of the list of its pictures.
        public var url: String
    }
}

extension JSONDecoder {
    /// For documents of the service.
    static var vitrine: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }
}
