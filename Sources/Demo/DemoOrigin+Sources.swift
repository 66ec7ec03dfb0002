import PlayedAPIs

/// One list of a catalog as a demo warms it, and what must come of it.
package struct DemoSource: Sendable, Equatable, Encodable {
    /// Name of the source, `itunes`.
    package let source: String
    /// Name of the list, as on the command line.
    package let list: String
    /// A search term, or the id of an artist.
    package var words: [String] = []
    package var pages: String?
    package var limit: Int?
    /// What it is, for people: `invented shows`.
    package let contents: String
    /// An item with a picture, `itunes/album/1400000000`.
    package let example: String
    package let expected: Expected

    /// Exact with every level wanted and no other item failing.
    package struct Expected: Sendable, Equatable, Encodable {
        package var items = 0
        /// Items without a usable picture.
        package var placeholders = 0
        /// Items whose picture isn't the first choice.
        package var fallbacks = 0
    }

    /// Returns nil if each of the items has a quirk, so that none can be the example.
    fileprivate init?<Item>(
        _ source: String, _ list: String, words: [String] = [], pages: String? = nil,
        limit: Int? = nil, contents: String, of items: some Sequence<Item>,
        id: (Item) -> String, quirk: (Item) -> Quirk?
    ) {
        let items = Array(items)
        guard let example = items.first(where: { quirk($0) == nil }) else { return nil }
        self.source = source
        self.list = list
        self.words = words
        self.pages = pages
        self.limit = limit
        self.contents = contents
        self.example = "\(source)/\(id(example))"
        let endings = items.map { quirk($0)?.ending }
        expected = Expected(
            items: items.count, placeholders: endings.count { $0 == .placeholder },
            fallbacks: endings.count { $0 == .fallback })
    }
}

extension DemoOrigin {
    /// The lists that a demo warms, in this order.
    package var sources: [DemoSource] {
        // The artist with most albums.
        let artist = music.artists.max { $0.albums.count < $1.albums.count }
        let albums = (artist?.albums ?? []).map { music.albums[$0] }
        // The films of two pages, which have one film in common.
        var seen: Set<Int> = []
        let popular = (1...2).flatMap { films.popular(page: $0) }
            .filter { seen.insert($0.id).inserted }
        return [
            DemoSource(
                "tvmaze", "shows", pages: "0-\(max(shows.pages - 1, 0))",
                contents: "invented shows", of: shows.shows, id: { "show/\($0.id)" },
                quirk: \.quirk),
            DemoSource(
                "itunes", "albums", words: ["night"], limit: 48,
                contents: "albums found by “night”",
                of: PlayedITunes.albums(for: "night", in: music).prefix(48),
                id: { "album/\($0.iTunesID)" }, quirk: \.iTunesQuirk),
            DemoSource(
                "spotify", "artists", words: ["the"], contents: "artists found by “the”",
                of: PlayedSpotify.artists(for: "the", in: music).prefix(100),
                id: { "artist/\($0.spotifyID)" }, quirk: \.quirk),
            DemoSource(
                "spotify", "artist-albums", words: [artist?.spotifyID ?? ""],
                contents: "albums of \(artist?.name ?? "")",
                of: albums.filter { $0.kind != .compilation }.prefix(100),
                id: { "album/\($0.spotifyID)" }, quirk: \.spotifyQuirk),
            DemoSource(
                "tmdb", "popular", pages: "1-2", contents: "popular films", of: popular,
                id: { "movie/\($0.id)" }, quirk: \.quirk),
            // The index knows which objects have no image, but not of all of them.
            DemoSource(
                "rijksmuseum", "objects", limit: 40, contents: "museum objects",
                of: objects.objects.filter { $0.quirk != .noPicture }.prefix(40),
                id: { "object/\($0.number)" }, quirk: \.quirk),
        ].compactMap(\.self)
    }
}
