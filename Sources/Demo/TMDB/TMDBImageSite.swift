import Imaging
import PlayedAPIs

/// image.tmdb.org: posters, backdrops and portraits in the configured sizes.
struct TMDBImageSite: DemoSite {
    let catalog: FilmCatalog
    let artist: Artist
    let pictures: PictureAnswers

    var hosts: [String] { [TMDBDocument.imageHost] }

    func answer(_ request: DemoRequest) async -> DemoAnswer {
        let parts = request.segments
        guard parts.count == 4, parts[0] == "t", parts[1] == "p",
            let image = TMDBImage(file: parts[3]), let pixels = image.pixels(size: parts[2]),
            exists(image, size: parts[2])
        else { return .notFound }
        let picture = PictureAnswers.Picture(
            drawing: "image.tmdb.org/\(parts[2])\(image.path)", modified: 1_650_000_000)
        let (width, height) = pixels
        return await pictures.answer(request, picture) { [catalog, artist] in
            let drawing =
                switch image.subject {
                case .poster(let number, let variant):
                    try artist.poster(of: catalog.film(number), variant: variant)
                case .backdrop(let number, let variant):
                    try artist.backdrop(of: catalog.film(number), variant: variant)
                case .profile(let number): try artist.face(number)
                }
            let canvas = try drawing.draw(width: width, height: height)
            return [try canvas.encodeJPEG(quality: Artist.posterQuality)]
        }
    }

    private func exists(_ image: TMDBImage, size: Substring) -> Bool {
        switch image.subject {
        case .poster(let number, _):
            let film = catalog.film(number)
            return film.posters.contains(image)
                && !(film.quirk == .originalGone && size == "original")
        case .backdrop(let number, _):
            return catalog.film(number).backdrops.contains(image)
        case .profile(let number): return number < FilmPerson.count
        }
    }
}
