/// An invented album.
package struct DemoAlbum: Sendable, Equatable {
    /// Its place among all albums, from 0.
    let number: Int
    /// Index of the artist.
    let artist: Int
    package let title: String
    let kind: Kind
    let genre: MusicGenre
    /// ISO date.
    let date: String
    let label: String
    let tracks: Int

    enum Kind: String, Sendable {
        case album, single, compilation
    }

    var year: Int { Int(date.prefix(4)) ?? 0 }

    /// A universal product code of twelve digits, without a true check digit.
    var upc: String { String(880_000_000_000 + number * 104_729) }

    /// Titles and lengths of its songs.
    func songs(seed: UInt64) -> [Song] {
        var random = SeededRandom(seed: seed, 11, UInt64(number))
        return (1...tracks).map { position in
            let isTitle = position == 1 && (kind == .single || random.chance(0.5))
            let name = isTitle ? title : MusicWriter.song(&random)
            return Song(
                number: position, title: name,
                milliseconds: random.integer(in: 124_000...386_000))
        }
    }

    struct Song: Sendable, Equatable {
        /// From 1.
        let number: Int
        let title: String
        let milliseconds: Int
    }
}

/// What an album sounds like; how its cover looks follows from it.
enum MusicGenre: String, Sendable, CaseIterable {
    case jazz = "Jazz"
    case electronic = "Electronic"
    case alternative = "Alternative"
    case folk = "Singer/Songwriter"
    case classical = "Classical"
    case soul = "R&B/Soul"
    case rock = "Rock"
    case pop = "Pop"
    case ambient = "Ambient"
    case soundtrack = "Soundtrack"

    /// What the other music catalogue calls it: in lower case, several at once.
    var tags: [String] {
        switch self {
        case .jazz: ["cool jazz", "nordic jazz"]
        case .electronic: ["electronica", "minimal techno"]
        case .alternative: ["indie rock", "shoegaze"]
        case .folk: ["chamber folk"]
        case .classical: ["contemporary classical", "string quartet"]
        case .soul: ["neo soul"]
        case .rock: ["garage punk"]
        case .pop: ["dream pop", "art pop"]
        case .ambient: ["ambient", "field recording"]
        case .soundtrack: ["film score"]
        }
    }
}
