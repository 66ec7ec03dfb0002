import PlayedAPIs

/// itunes.apple.com: the search for albums, and look-ups.
struct ITunesAPISite: DemoSite {
    let catalog: MusicCatalog

    var hosts: [String] { [ITunesAlbum.host] }

    func answer(_ request: DemoRequest) -> DemoAnswer {
        switch request.path {
        case "/search": script(search(request.query))
        case "/lookup": script(lookUp(request.query))
        default: .notFound
        }
    }

    /// Albums that the store finds for a term, the limit left aside.
    func albums(for term: String) -> [DemoAlbum] {
        let words = SearchWords(term)
        return catalog.albums.filter { album in
            words.begin("\(catalog.artist(of: album).name) \(album.title)")
        }
    }

    private func search(_ query: [String: String]) -> [JSON] {
        let entity = query["entity"] ?? "album"
        guard entity == "album", query["media"] ?? "music" == "music" else { return [] }
        let limit = min(max(query["limit"].flatMap { Int($0) } ?? 50, 1), 200)
        return albums(for: query["term"] ?? "").prefix(limit).map { catalog.iTunes($0).json }
    }

    /// By ids of albums and artists, or by product codes; what is unknown is left out.
    private func lookUp(_ query: [String: String]) -> [JSON] {
        let wantsSongs = query["entity"] == "song"
        if let codes = query["upc"] {
            let wanted = Set(codes.split(separator: ",").map(String.init))
            return catalog.albums.filter { wanted.contains($0.upc) }
                .flatMap { found($0, wantsSongs) }
        }
        return (query["id"] ?? "").split(separator: ",").compactMap { Int($0) }.flatMap { id in
            if let album = DemoAlbum.number(iTunesID: id).flatMap(catalog.album) {
                return found(album, wantsSongs)
            }
            return catalog.artists.filter { $0.iTunesID == id }.map { artist in
                artist.iTunes.json(genre: artist.genre.name, genreID: artist.genre.iTunesID)
            }
        }
    }

    private func found(_ album: DemoAlbum, _ wantsSongs: Bool) -> [JSON] {
        [catalog.iTunes(album).json] + (wantsSongs ? catalog.iTunesTracks(album) : [])
    }

    /// The real one says it sends a script, and begins with blank lines.
    private func script(_ results: [JSON]) -> DemoAnswer {
        DemoAnswer(
            status: 200, contentType: "text/javascript; charset=utf-8",
            fields: ["Cache-Control": "max-age=0, no-cache", "x-apple-max-age": "3600"],
            body: Array("\n\n\n".utf8) + ITunesAlbum.results(results).bytes)
    }
}
