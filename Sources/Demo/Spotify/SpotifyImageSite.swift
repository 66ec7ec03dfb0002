import Imaging
import PlayedAPIs

/// i.scdn.co: covers and portraits in the sizes that the API names.
struct SpotifyImageSite: DemoSite {
    let catalog: MusicCatalog
    let artist: Artist
    let pictures: PictureAnswers

    var hosts: [String] { [SpotifyDocument.imageHost] }

    func answer(_ request: DemoRequest) async -> DemoAnswer {
        guard let image = SpotifyImage(path: request.path), exists(image) else { return .notFound }
        let widest = SpotifyImage.all(of: image.subject)
        let shape = (width: widest[0].width, height: widest[0].height)
        let key: String
        let drawing: @Sendable () throws -> Picture
        switch image.subject {
        case .album(let number):
            guard let album = catalog.album(number) else { return .notFound }
            key = "album/\(number)"
            let credits = CoverCredits(album, in: catalog)
            drawing = { [artist] in try artist.cover(credits, shape: shape) }
        case .artist(let number):
            guard let musician = catalog.artist(number) else { return .notFound }
            key = "artist/\(number)"
            drawing = { [artist] in try artist.portrait(musician, shape: shape) }
        }
        var picture = PictureAnswers.Picture(drawing: "i.scdn.co/\(key)", modified: 1_600_000_000)
        picture.file = image.index
        return await pictures.answer(request, picture) {
            let canvas = try drawing().draw(width: shape.width, height: shape.height)
            return try widest.map { size in
                if size.index == 0 { return try canvas.encodeJPEG(quality: Artist.coverQuality) }
                let small = try Canvas(width: size.width, height: size.height)
                small.draw(
                    canvas, x: 0, y: 0, width: Double(size.width), height: Double(size.height))
                return try small.encodeJPEG(quality: Artist.coverQuality)
            }
        }
    }

    private func exists(_ image: SpotifyImage) -> Bool {
        image.index > 0 || SpotifyImage.quirk(of: image.subject) != .largestGone
    }
}
