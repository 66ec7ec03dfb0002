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
            let own = Self.albums(of: number, genre, first: albums.count, &random)
            albums += own
            artists.append(
                DemoArtist(
                    number: number, name: name, genre: genre, members: members,
                    followers: random.integer(in: 40...90) * random.integer(in: 1...40_000),
                    popularity: random.integer(in: 4...82),
                    albums: own.sorted { $0.date > $1.date }.map(\.number)))
        }
        self.artists = artists
        self.albums = albums
        self.seed = seed
    }

    func artist(of album: DemoAlbum) -> DemoArtist { artists[album.artist] }

    func album(_ number: Int) -> DemoAlbum? {
        albums.indices.contains(number) ? albums[number] : nil
    }

    func artist(_ number: Int) -> DemoArtist? {
        artists.indices.contains(number) ? artists[number] : nil
    }

    /// A name, and how many play.
    private static func artist(_ random: inout SeededRandom) -> (String, Int) {
        let row = random.pick(Words.rows("music.artists"))
        let name = Words.filled(row[0], &random)
        return (name, Int(Words.filled(row[1], &random)) ?? 1)
    }

    /// Every tenth artist never rests, so that there are lists of several pages.
    private static func albums(
        of artist: Int, _ genre: MusicGenre, first: Int, _ random: inout SeededRandom
    ) -> [DemoAlbum] {
        let count =
            artist % 10 == 3 ? random.integer(in: 21...27) : random.integer(in: 2...8)
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
                number: first + position, artist: artist, title: title, kind: kind,
                genre: random.chance(0.85) ? genre : random.pick(MusicGenre.all),
                date: random.date(in: year), label: random.pick(labels),
                tracks: kind == .single
                    ? random.integer(in: 1...3) : random.integer(in: 7...14))
        }
    }
}
