/// An invented museum object.
package struct DemoObject: Sendable, Equatable {
    /// Its place in the collection, from 0.
    let index: Int
    let subject: ArtworkSubject
    let titles: ObjectTitles
    let maker: ObjectMaker
    /// The year it was made in, or the first it may have been.
    let year: Int
    /// The last year it may have been made in.
    let lastYear: Int
    /// `SK-A-2344`.
    let objectNumber: String
    /// Pixels of the photograph.
    let width: Int
    let height: Int
    /// Name of the photograph on the image server.
    let image: String

    /// What the collection calls it; numbers have gaps.
    package var number: Int { 200_310_000 + index * 7 + index % 3 }

    static func index(number: Int) -> Int? {
        let index = (number - 200_310_000) / 7
        return number >= 200_310_000 && number == 200_310_000 + index * 7 + index % 3
            ? index : nil
    }

    var peculiarity: RijksmuseumPeculiarity? { RijksmuseumPeculiarity(object: index) }
}

/// What an artwork shows, and how it is made.
enum ArtworkSubject: String, Sendable, CaseIterable {
    case stillLife, harbour, portrait, windmill, winter, tiles, bouquet, interior

    /// Names of the type, technique and materials, Dutch and English.
    var type: Bilingual {
        self == .tiles
            ? Bilingual("tegeltableau", "tile panel") : Bilingual("schilderij", "painting")
    }

    var technique: Bilingual {
        self == .tiles
            ? Bilingual("beschilderen", "painting on glaze") : Bilingual("schilderen", "painting")
    }

    var materials: [Bilingual] {
        switch self {
        case .tiles: [Bilingual("aardewerk", "earthenware"), Bilingual("tinglazuur", "tin glaze")]
        case .stillLife, .portrait, .bouquet:
            [Bilingual("paneel", "panel"), Bilingual("olieverf", "oil paint")]
        case .harbour, .windmill, .winter, .interior:
            [Bilingual("doek", "canvas"), Bilingual("olieverf", "oil paint")]
        }
    }

    /// Shapes of photographs, pixels.
    var shapes: [(width: Int, height: Int)] {
        switch self {
        case .stillLife: [(5_200, 4_000), (4_400, 3_300), (3_600, 4_300)]
        case .harbour: [(6_000, 3_600), (5_400, 3_800), (5_600, 4_000)]
        case .portrait: [(4_000, 5_200), (3_600, 4_500), (3_000, 3_700)]
        case .windmill: [(5_400, 3_800), (4_600, 3_500), (4_200, 4_900)]
        case .winter: [(5_800, 3_700), (4_600, 3_400), (4_400, 4_400)]
        case .tiles: [(4_400, 4_400), (3_300, 4_400), (5_200, 3_900)]
        case .bouquet: [(4_000, 5_300), (3_400, 4_400)]
        case .interior: [(3_900, 5_200), (4_200, 4_900), (3_200, 4_000)]
        }
    }
}

/// The same in Dutch and English.
struct Bilingual: Sendable, Equatable {
    let dutch: String
    let english: String

    init(_ dutch: String, _ english: String) {
        self.dutch = dutch
        self.english = english
    }
}

/// What an object is called, and was.
struct ObjectTitles: Sendable, Equatable {
    let dutch: String
    /// `nil` for many.
    let english: String?
    /// Dutch titles that it no longer has.
    let former: [String]
}

/// Who made an object.
struct ObjectMaker: Sendable, Equatable {
    let id: Int
    let name: String
    /// `schilder`, `painter`.
    let role: Bilingual
    var isGroup = false
}
