import PlayedAPIs

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
