/// An invented musician or band.
package struct DemoArtist: Sendable, Equatable {
    /// Its place among all artists, from 0.
    let number: Int
    package let name: String
    let genre: MusicGenre
    /// How many play: 1 to 5.
    let members: Int
    let followers: Int
    /// Numbers of its albums, newest first.
    package let albums: [Int]

    package var spotifyID: String { SeededRandom.name(41, number, length: 22) }
    var quirk: Quirk? { Quirk.spotify(artist: number) }
}

/// An invented album.
package struct DemoAlbum: Sendable, Equatable {
    /// Its place among all albums, from 0.
    let number: Int
    /// Name of the artist, and its place among all artists.
    let artist: String
    let artistNumber: Int
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

    package var iTunesID: Int { 1_400_000_000 + number * 7_919 }
    package var spotifyID: String { SeededRandom.name(42, number, length: 22) }
    var spotifyQuirk: Quirk? { Quirk.spotify(album: number) }
    var iTunesQuirk: Quirk? { Quirk.iTunes(album: number) }

    var year: Substring { date.prefix(4) }

    /// Titles and lengths of its songs.
    func songs(seed: UInt64) -> [(number: Int, title: String, milliseconds: Int)] {
        var random = SeededRandom(seed: seed, 11, UInt64(number))
        return (1...tracks).map { position in
            let isTitle = position == 1 && (kind == .single || random.chance(0.5))
            let name = isTitle ? title : Words.text("music.songs", &random)
            return (position, name, random.integer(in: 124_000...386_000))
        }
    }
}

/// What an album sounds like. How its cover looks follows from it.
struct MusicGenre: Sendable, Hashable {
    /// As iTunes calls it.
    let name: String
    /// What Spotify calls it: in lower case, several at once.
    let tags: [String]

    static let all = Words.rows("music.genres").map { row in
        MusicGenre(name: row[0], tags: row[2].split(separator: ", ").map(String.init))
    }
}

/// Musicians and albums of the demo, the same for both music catalogs.
package struct MusicCatalog: Sendable {
    package let artists: [DemoArtist]
    package let albums: [DemoAlbum]
    let seed: UInt64

    /// An artist depends on the seed and its number alone, apart from its name, which no earlier
    /// one has.
    package init(seed: UInt64, artists count: Int) {
        var artists: [DemoArtist] = []
        var albums: [DemoAlbum] = []
        var names: Set<String> = []
        for number in 0..<count {
            var words = SeededRandom(seed: seed, 12, UInt64(number))
            var (name, members) = Self.artist(&words)
            while !names.insert(name).inserted { (name, members) = Self.artist(&words) }
            var random = SeededRandom(seed: seed, 13, UInt64(number))
            let genre = random.pick(MusicGenre.all)
            let own = Self.albums(of: (name, number), genre, first: albums.count, &random)
            albums += own
            artists.append(
                DemoArtist(
                    number: number, name: name, genre: genre, members: members,
                    followers: random.integer(in: 40...90) * random.integer(in: 1...40_000),
                    albums: own.sorted { $0.date > $1.date }.map(\.number)))
        }
        self.artists = artists
        self.albums = albums
        self.seed = seed
    }

    /// A name, and how many play.
    private static func artist(_ random: inout SeededRandom) -> (String, Int) {
        let row = random.pick(Words.rows("music.artists"))
        let name = Words.filled(row[0], &random)
        return (name, Int(Words.filled(row[1], &random)) ?? 1)
    }

    /// Every tenth artist never rests, so that there are lists of several pages.
    private static func albums(
        of artist: (name: String, number: Int), _ genre: MusicGenre, first: Int,
        _ random: inout SeededRandom
    ) -> [DemoAlbum] {
        let count =
            artist.number % 10 == 3 ? random.integer(in: 21...27) : random.integer(in: 2...8)
        let debut = random.integer(in: 1971...2016)
        let labels = random.picks(2, of: Words.list("music.labels"))
        var titles: Set<String> = []
        return (0..<count).map { position in
            var title = Words.text("music.albums", &random)
            while !titles.insert(title).inserted { title = Words.text("music.albums", &random) }
            let kind: DemoAlbum.Kind =
                random.chance(0.22) ? .single : random.chance(0.06) ? .compilation : .album
            let year = min(2025, debut + position * (count > 9 ? 1 : 2))
            return DemoAlbum(
                number: first + position, artist: artist.name, artistNumber: artist.number,
                title: title, kind: kind,
                genre: random.chance(0.85) ? genre : random.pick(MusicGenre.all),
                date: random.date(in: year), label: random.pick(labels),
                tracks: kind == .single
                    ? random.integer(in: 1...3) : random.integer(in: 7...14))
        }
    }
}
