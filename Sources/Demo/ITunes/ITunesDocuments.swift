import PlayedAPIs

extension DemoAlbum {
    package var iTunesID: Int { 1_400_000_000 + number * 7_919 }

    static func number(iTunesID: Int) -> Int? {
        let offset = iTunesID - 1_400_000_000
        return offset >= 0 && offset.isMultiple(of: 7_919) ? offset / 7_919 : nil
    }

    /// Every third whole album comes with a music video.
    var hasVideo: Bool { kind == .album && number.isMultiple(of: 3) }
}

extension DemoArtist {
    var iTunesID: Int { 900_000_000 + number * 6_133 }

    var iTunes: ITunesArtist {
        ITunesArtist(
            id: iTunesID, name: name, guideID: 100_000 + number,
            url: "https://music.apple.com/us/artist/\(name.slug)/\(iTunesID)?uo=4")
    }
}

extension MusicCatalog {
    /// An album as iTunes has it.
    func iTunes(_ album: DemoAlbum) -> ITunesAlbum {
        // The store says what isn't a whole album.
        var document = ITunesAlbum(
            id: album.iTunesID,
            title: album.kind == .single ? "\(album.title) - Single" : album.title)
        document.artist = artist(of: album).iTunes
        document.isCompilation = album.kind == .compilation
        document.isSingle = album.kind == .single
        document.tracks = album.tracks
        document.videos = album.hasVideo ? 1 : 0
        document.date = album.date
        document.genre = album.genre.name
        document.rights = album.rights
        document.url = "https://music.apple.com/us/album/\(album.title.slug)/\(album.iTunesID)?uo=4"
        if ITunesQuirk(album: album.number) != .noArtwork {
            document.artwork = ITunesArtwork(album: album.number).url
        }
        return document
    }

    /// A music video first, if there is one. Then the songs.
    func iTunesTracks(_ album: DemoAlbum) -> [JSON] {
        let document = iTunes(album)
        let songs = album.songs(seed: seed)
        let videos = songs.prefix(album.hasVideo ? 1 : 0).map { song in
            document.track(
                album.tracks + 1, song.title, kind: "music-video", milliseconds: song.milliseconds)
        }
        return videos
            + songs.map { document.track($0.number, $0.title, milliseconds: $0.milliseconds) }
    }
}
