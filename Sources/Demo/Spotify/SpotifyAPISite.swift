import PlayedAPIs

/// api.spotify.com: the search for artists, artists, their albums, and albums; for the holders of
/// tokens.
struct SpotifyAPISite: DemoSite {
    let catalog: MusicCatalog
    let tokens: SpotifyTokens

    var hosts: [String] { [SpotifyDocument.host] }

    func answer(_ request: DemoRequest) -> DemoAnswer {
        switch tokens.verdict(authorization: request.authorization) {
        case .missing: return problem(401, "No token provided")
        case .expired: return problem(401, "The access token expired")
        case .good: break
        }
        let parts = request.segments
        switch (parts.count, parts.dropFirst().first) {
        case (2, "search"): return search(request.query)
        case (3, "artists"): return artist(parts[2]) { kept($0.spotify) }
        case (3, "albums"):
            guard let album = DemoAlbum.number(spotifyID: parts[2]).flatMap(catalog.album) else {
                return unknown(parts[2])
            }
            return kept(catalog.spotifyDetails(album))
        case (4, "artists") where parts[3] == "albums":
            return artist(parts[2]) { albums(of: $0, request.query) }
        default: return problem(404, "Service not found")
        }
    }

    /// Artists whose names hold words that begin like all of the term's.
    func artists(for term: String) -> [DemoArtist] {
        let words = SearchWords(term)
        return catalog.artists.filter { words.begin($0.name) }
    }

    /// Albums of the groups asked for, newest first.
    func albums(of artist: DemoArtist, groups: String?) -> [DemoAlbum] {
        let wanted = groups.map { Set($0.split(separator: ",").map(String.init)) }
        return artist.albums.map { catalog.albums[$0] }
            .filter { wanted?.contains($0.kind.rawValue) != false }
    }

    private func search(_ query: [String: String]) -> DemoAnswer {
        guard let term = query["q"], !term.isEmpty else { return problem(400, "No search query") }
        guard let type = query["type"] else { return problem(400, "Missing parameter type") }
        guard type == "artist" else { return problem(400, "Bad search type field \(type)") }
        return part(query, maxOffset: 1_000, of: artists(for: term)) { paging, found in
            ["artists": paging.json(found.map(\.spotify))]
        } address: { offset, limit in
            // The real one spells its own parameters differently from what it takes.
            let base =
                "https://\(SpotifyDocument.host)/v1/search?query=\(QueryText.encoded(term))&type=artist"
            return "\(base)&offset=\(offset)&limit=\(limit)"
        }
    }

    private func albums(of artist: DemoArtist, _ query: [String: String]) -> DemoAnswer {
        let groups = query["include_groups"]
        let albums = albums(of: artist, groups: groups)
        return part(query, maxOffset: .max, of: albums) { paging, found in
            paging.json(found.map(catalog.spotify))
        } address: { offset, limit in
            let path = "https://\(SpotifyDocument.host)/v1/artists/\(artist.spotifyID)/albums"
            let all = groups ?? "single,album,compilation,appears_on"
            return "\(path)?offset=\(offset)&limit=\(limit)&include_groups=\(all)"
        }
    }

    /// The part of a list that `limit` and `offset` name; ten at a time are the most.
    private func part<Element>(
        _ query: [String: String], maxOffset: Int, of all: [Element],
        _ body: (SpotifyPage, ArraySlice<Element>) -> JSON,
        address: (_ offset: Int, _ limit: Int) -> String
    ) -> DemoAnswer {
        guard let limit = Int(query["limit"] ?? "5"), 1...10 ~= limit else {
            return problem(400, "Invalid limit")
        }
        guard let offset = Int(query["offset"] ?? "0"), offset >= 0, offset <= maxOffset - limit
        else { return problem(400, "Invalid offset") }
        let paging = SpotifyPage(limit: limit, offset: offset, total: all.count) { offset in
            address(offset, limit)
        }
        return kept(body(paging, all.dropFirst(offset).prefix(limit)))
    }

    private func artist(_ id: Substring, _ body: (DemoArtist) -> DemoAnswer) -> DemoAnswer {
        guard let artist = DemoArtist.number(spotifyID: id).flatMap(catalog.artist) else {
            return unknown(id)
        }
        return body(artist)
    }

    /// An id of the right form that nothing has is not found. Any other text is not an id.
    private func unknown(_ id: Substring) -> DemoAnswer {
        let isID = id.count == 22 && id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return isID ? problem(404, "Resource not found") : problem(400, "Invalid base62 id")
    }

    private func problem(_ status: Int, _ message: String) -> DemoAnswer {
        .json(SpotifyDocument.problem(status, message), status: status)
    }

    private func kept(_ json: JSON) -> DemoAnswer {
        var answer = DemoAnswer.json(json)
        answer.fields["Cache-Control"] = "public, max-age=7200"
        return answer
    }
}
