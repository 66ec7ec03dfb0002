import Imaging
import JSON
import PlayedAPIs

/// TVmaze: the index, single shows, their images, the search; and posters, drawn when they are asked
/// for.
struct PlayedTVMaze: Sendable {
    let catalog: ShowCatalog
    let artist: Artist
    let pictures: PictureHost

    // MARK: The API

    func index(_ request: DemoRequest) -> DemoAnswer {
        guard let page = Int(request.query["page"] ?? "0"), let shows = catalog.page(page) else {
            return unknown(request)
        }
        return .json(.list(shows.map(\.json)))
    }

    func show(_ request: DemoRequest) -> DemoAnswer {
        guard let show = named(request) else { return unknown(request) }
        return .json(show.json)
    }

    /// The main poster is often not the first, posters not before the others.
    func images(_ request: DemoRequest) -> DemoAnswer {
        guard let show = named(request) else { return unknown(request) }
        guard show.quirk != .noPicture else { return .json([]) }
        let others: [DemoShow.Slot] =
            switch show.id % 4 {
            case 0: [.background, .unclassified]
            case 1: [.otherPoster, .banner]
            case 2: []
            default: [.banner, .background]
            }
        let slots = show.id % 3 == 0 ? [.mainPoster] + others : others + [.mainPoster]
        return .json(.list(slots.map { image(show, $0).json }))
    }

    private func image(_ show: DemoShow, _ slot: DemoShow.Slot) -> TVMazeImage {
        let hidesMedium =
            slot == .mainPoster && (show.quirk == .mediumNull || show.quirk == .mediumMissing)
        return TVMazeImage(
            id: show.id * 10 + slot.rawValue, type: slot.type, isMain: slot == .mainPoster,
            original: (slot.url(of: show.id, .original), slot.pixels.width, slot.pixels.height),
            medium: hidesMedium
                ? nil : slot.medium.map { (slot.url(of: show.id, $0.size), $0.width, $0.height) })
    }

    /// The best ten of the titles that hold the term, or all of its words.
    func search(_ request: DemoRequest) -> DemoAnswer {
        guard let term = request.query["q"]?.lowercased(), !term.isEmpty else {
            let problem = TVMazeProblem(
                status: 400, name: "Bad Request", message: "Missing required parameters: q")
            return .json(problem.json, status: 400)
        }
        let words = term.split(separator: " ")
        let hits = catalog.shows.compactMap { show -> (show: DemoShow, score: Double)? in
            let title = show.name.lowercased()
            guard !words.isEmpty, words.allSatisfy({ title.contains($0) }) else { return nil }
            let share = min(1, Double(term.count) / Double(title.count))
            return (show, title.contains(term) ? 0.5 + share / 2 : share / 2)
        }
        let best = hits.sorted { ($1.score, $0.show.id) < ($0.score, $1.show.id) }.prefix(10)
        return .json(.list(best.map { ["score": JSON($0.score), "show": $0.show.json] }))
    }

    func unknown(_ request: DemoRequest) -> DemoAnswer {
        .json(TVMazeProblem.notFound.json, status: 404)
    }

    private func named(_ request: DemoRequest) -> DemoShow? {
        Int(request.names[0]).flatMap(catalog.show)
    }

    // MARK: Pictures

    /// `/{size}/{folder}/{number}.jpg`. Only what the API announces is there, and of some mediums not
    /// even that.
    func picture(_ request: DemoRequest) async -> DemoAnswer {
        guard let size = DemoShow.Size(rawValue: request.names[0]),
            let number = Int(request.names[2].dropLast(4)),
            let slot = DemoShow.Slot(rawValue: number % 10),
            let show = catalog.show(number / 10), show.quirk != .noPicture,
            size == .original || size == slot.medium?.size,
            slot.url(of: show.id, size) == "https://\(request.host)\(request.path)"
        else { return .notFound }
        let isMain = slot == .mainPoster
        var file = PictureHost.File(
            drawing: "static.tvmaze.com/\(number)", index: size == .original ? 0 : 1,
            modified: show.updated)
        switch (show.quirk, size) {
        case (.mediumNull, .portrait), (.mediumMissing, .portrait), (.mediumGone, .portrait):
            if isMain { return .notFound }
        case (.originalHTML, .original):
            if isMain { return .html("We are moving our pictures", status: 200) }
        case (.originalCut, .original): if isMain { file.share = 0.4 }
        default: break
        }
        return await pictures.answer(request, file) { [artist] in
            let canvas = try artist.poster(of: show, slot)
                .draw(width: slot.pixels.width, height: slot.pixels.height)
            let original = try canvas.encodeJPEG(quality: Artist.quality)
            guard let medium = slot.medium else { return [original] }
            let small = try Canvas(width: medium.width, height: medium.height)
            // The whole width; what is too high is cut evenly above and below.
            let width = Double(medium.width)
            let height = width * Double(canvas.height) / Double(canvas.width)
            small.draw(
                canvas, x: 0, y: (Double(medium.height) - height) / 2, width: width, height: height)
            return [original, try small.encodeJPEG(quality: Artist.quality)]
        }
    }
}
