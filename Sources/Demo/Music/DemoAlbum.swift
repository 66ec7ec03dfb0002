/// An invented musician or band.
package struct DemoArtist: Sendable, Equatable {
    /// Its place among all artists, from 0.
    let number: Int
    package let name: String
    let genre: MusicGenre
    /// How many play: 1 to 5.
    let members: Int
    let followers: Int
    /// 0…100.
    let popularity: Int
    /// Numbers of its albums, newest first.
    package let albums: [Int]
}

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

    var rights: String { "℗ \(year) \(label)" }

    /// A universal product code of twelve digits, without a true check digit.
    var upc: String { String(880_000_000_000 + number * 104_729) }

    /// Titles and lengths of its songs.
    func songs(seed: UInt64) -> [Song] {
        var random = SeededRandom(seed: seed, 11, UInt64(number))
        return (1...tracks).map { position in
            let isTitle = position == 1 && (kind == .single || random.chance(0.5))
            let name = isTitle ? title : Words.text("music.songs", &random)
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

/// What an album sounds like. How its cover looks follows from it.
struct MusicGenre: Sendable, Hashable {
    /// As iTunes calls it.
    let name: String
    let iTunesID: Int
    /// What Spotify calls it: in lower case, several at once.
    let tags: [String]

    static let all = Words.rows("music.genres").map { row in
        MusicGenre(
            name: row[0], iTunesID: Int(row[1]) ?? 0,
            tags: row[2].split(separator: ", ").map(String.init))
    }
}
