/// static.tvmaze.com: posters and other pictures, drawn when they are asked for.
struct TVMazePictureSite: DemoSite {
    let catalogue: DemoCatalogue
    let artist: Artist
    let pictures: PictureAnswers

    var hosts: [String] { ["static.tvmaze.com"] }

    func answer(_ request: DemoRequest) async -> DemoAnswer {
        guard let name = PictureName(path: request.path), let show = catalogue.show(name.show),
            exists(name, of: show)
        else { return .notFound }
        let isMainOriginal = name.size == .original && name.slot == .mainPoster
        if isMainOriginal, show.peculiarity == .originalHTML {
            return .html("We are moving our pictures", status: 200)
        }
        var picture = PictureAnswers.Picture(
            drawing: "static.tvmaze.com/\(name.number)", modified: show.updated)
        picture.file = name.size == .original ? 0 : 1
        if isMainOriginal, show.peculiarity == .originalCut { picture.share = 0.4 }
        return await pictures.answer(request, picture) { [artist] in
            try artist.files(name.slot, of: show)
        }
    }

    /// What the API doesn't announce isn't there, and of some mediums not even what it announces.
    private func exists(_ name: PictureName, of show: DemoShow) -> Bool {
        switch (show.peculiarity, name.slot, name.size) {
        case (.noPicture, _, _): false
        case (.mediumNull, .mainPoster, .portrait), (.mediumMissing, .mainPoster, .portrait),
            (.mediumGone, .mainPoster, .portrait):
            false
        default: name.size == .original || name.size == name.slot.mediumSize
        }
    }
}
