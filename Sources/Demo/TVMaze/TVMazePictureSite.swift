import Imaging
import PlayedAPIs

/// static.tvmaze.com: posters and other pictures, drawn when they are asked for.
struct TVMazePictureSite: DemoSite {
    let catalog: ShowCatalog
    let artist: Artist
    let pictures: PictureAnswers

    var hosts: [String] { [DemoShow.imageHost] }

    func answer(_ request: DemoRequest) async -> DemoAnswer {
        guard let name = TVMazePicture(path: request.path), let show = catalog.show(name.show),
            exists(name, of: show)
        else { return .notFound }
        let isMainOriginal = name.size == .original && name.slot == .mainPoster
        if isMainOriginal, show.quirk == .originalHTML {
            return .html("We are moving our pictures", status: 200)
        }
        var picture = PictureAnswers.Picture(
            drawing: "static.tvmaze.com/\(name.number)", modified: show.updated)
        picture.file = name.size == .original ? 0 : 1
        if isMainOriginal, show.quirk == .originalCut { picture.share = 0.4 }
        return await pictures.answer(request, picture) { [self] in
            try files(name.slot, artist.poster(of: show, name.slot))
        }
    }

    /// The original, then the medium one if there is one.
    private func files(_ slot: TVMazePicture.Slot, _ poster: Picture) throws -> [[UInt8]] {
        let canvas = try poster.draw(width: poster.shape.width, height: poster.shape.height)
        let original = try canvas.encodeJPEG(quality: Artist.posterQuality)
        guard let size = slot.mediumSize else { return [original] }
        let small = TVMazePicture(show: 0, slot: slot, size: size).pixels
        let medium = try Canvas(width: small.width, height: small.height)
        // The whole width; what is too high is cut evenly above and below.
        let height = Double(small.width) * Double(canvas.height) / Double(canvas.width)
        medium.draw(
            canvas, x: 0, y: (Double(small.height) - height) / 2, width: Double(small.width),
            height: height)
        return [original, try medium.encodeJPEG(quality: Artist.mediumQuality)]
    }

    /// What the API doesn't announce isn't there, and of some mediums not even what it announces.
    private func exists(_ name: TVMazePicture, of show: DemoShow) -> Bool {
        switch (show.quirk, name.slot, name.size) {
        case (.noPicture, _, _): false
        case (.mediumNull, .mainPoster, .portrait), (.mediumMissing, .mainPoster, .portrait),
            (.mediumGone, .mainPoster, .portrait):
            false
        default: name.size == .original || name.size == name.slot.mediumSize
        }
    }
}
