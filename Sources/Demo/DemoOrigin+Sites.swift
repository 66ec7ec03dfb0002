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
        let records = RijksmuseumRecords(catalog: objects)
        var sites: [any DemoSite] = [
            TVMazeAPISite(catalog: catalog),
            TVMazePictureSite(catalog: catalog, artist: artist, pictures: pictures),
            ITunesAPISite(catalog: music),
            ITunesArtworkSite(catalog: music, artist: artist, pictures: pictures),
            SpotifyAccountsSite(tokens: tokens),
            SpotifyAPISite(catalog: music, tokens: tokens),
            SpotifyImageSite(catalog: music, artist: artist, pictures: pictures),
            TMDBAPISite(
                catalog: films, shows: catalog, token: configuration.credentials.tmdbToken),
            TMDBImageSite(catalog: films, artist: artist, pictures: pictures),
            RijksmuseumSearchSite(catalog: objects, records: records),
            RijksmuseumRecordSite(records: records),
            IIIFSite(catalog: objects, artist: artist, pictures: pictures),
        ]
        if let directory = configuration.pictures { sites.append(try FolderSite(directory)) }
        return sites
    }
}
