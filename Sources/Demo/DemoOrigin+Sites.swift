extension DemoOrigin {
    /// Every service that it plays, with one store of pictures for all.
    func sites() throws(DemoOriginError) -> [any DemoSite] {
        let seed = configuration.seed
        let pictures = PictureAnswers(
            seed: seed, store: PictureStore(maxBytes: configuration.pictureBytes),
            logger: logger)
        let artist = Artist(seed: seed)
        let tokens = SpotifyTokens(
            configuration.credentials, lifetime: configuration.tokenLifetime)
        let records = RijksmuseumRecords(catalogue: objects)
        var sites: [any DemoSite] = [
            TVMazeAPISite(catalogue: catalogue),
            TVMazePictureSite(catalogue: catalogue, artist: artist, pictures: pictures),
            ITunesAPISite(catalogue: music),
            ITunesArtworkSite(catalogue: music, artist: artist, pictures: pictures),
            SpotifyAccountsSite(tokens: tokens),
            SpotifyAPISite(catalogue: music, tokens: tokens),
            SpotifyImageSite(catalogue: music, artist: artist, pictures: pictures),
            TMDBAPISite(
                catalogue: films, shows: catalogue, token: configuration.credentials.tmdbToken),
            TMDBImageSite(catalogue: films, artist: artist, pictures: pictures),
            RijksmuseumSearchSite(catalogue: objects, records: records),
            RijksmuseumRecordSite(records: records),
            IIIFSite(catalogue: objects, artist: artist, pictures: pictures),
        ]
        if let directory = configuration.pictures { sites.append(try FolderSite(directory)) }
        return sites
    }
}
