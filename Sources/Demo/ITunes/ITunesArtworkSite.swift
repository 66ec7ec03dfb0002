/// mzstatic.com: covers in any size up to their own.
struct ITunesArtworkSite: DemoSite {
    let catalog: MusicCatalog
    let artist: Artist
    let pictures: PictureAnswers

    var hosts: [String] { ITunesArtwork.hosts }

    func answer(_ request: DemoRequest) async -> DemoAnswer {
        guard let asked = ITunesArtwork.request(path: request.path),
            let album = catalog.album(asked.artwork.album)
        else { return .notFound }
        switch ITunesQuirk(album: album.number) {
        case .noArtwork: return .notFound
        case .largeRefused where asked.pixels > ITunesQuirk.largest:
            return .html("403 Forbidden", status: 403)
        case .largeGone where asked.pixels > ITunesQuirk.largest: return .notFound
        case .fixedArtwork, .largeRefused, .largeGone, nil: break
        }
        let format = PictureFormat(extension: asked.format) ?? .jpeg
        var picture = PictureAnswers.Picture(
            drawing: "mzstatic.com/\(album.number)/\(asked.pixels).\(asked.format)",
            modified: 1_560_000_000 + album.number * 86_400)
        picture.contentType = format.contentType
        let credits = CoverCredits(album, in: catalog)
        return await pictures.answer(request, picture) { [artist] in
            let cover = try artist.cover(credits).draw(width: asked.pixels, height: asked.pixels)
            return [try format.encode(cover, quality: Artist.coverQuality)]
        }
    }
}
