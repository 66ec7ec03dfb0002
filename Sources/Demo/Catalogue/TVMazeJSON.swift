/// Writes shows and their images in the shape of TVMaze's API.
struct TVMazeJSON: Sendable {
    /// `/shows/{id}`, and an element of `/shows?page=`.
    func show(_ show: DemoShow) -> JSON {
        let address = "\(show.id)/\(show.slug)"
        return [
            "id": .integer(show.id), "url": "https://www.tvmaze.com/shows/\(address)",
            "name": .string(show.title), "type": .string(show.kind.rawValue),
            "language": .string(show.language), "genres": JSON(strings: show.genres),
            "status": show.ended == nil ? "Running" : "Ended", "runtime": JSON(show.runtime),
            "averageRuntime": JSON(show.runtime), "premiered": JSON(show.premiered),
            "ended": JSON(show.ended), "officialSite": .null,
            "schedule": ["time": .string(show.time), "days": JSON(strings: [show.day])],
            "rating": ["average": show.rating.map { .number(Double($0) / 10) } ?? .null],
            "weight": .integer(show.weight),
            "network": show.channel.isWeb ? .null : channel(show.channel),
            "webChannel": show.channel.isWeb ? channel(show.channel) : .null, "dvdCountry": .null,
            "externals": ["tvrage": .null, "thetvdb": .null, "imdb": .null],
            "image": image(of: show), "summary": JSON(show.summary),
            "updated": .integer(show.updated),
            "_links": ["self": ["href": "https://api.tvmaze.com/shows/\(show.id)"]],
        ]
    }

    /// `/shows/{id}/images`: the main poster is often not the first, posters not before the others.
    func images(of show: DemoShow) -> JSON {
        guard show.peculiarity != .noPicture else { return [] }
        let mainPoster = image(.mainPoster, of: show)
        let others: [JSON] =
            switch show.id % 4 {
            case 0: [image(.background, of: show), image(.unclassified, of: show)]
            case 1: [image(.otherPoster, of: show), image(.banner, of: show)]
            case 2: []
            default: [image(.banner, of: show), image(.background, of: show)]
            }
        return .array(show.id % 3 == 0 ? [mainPoster] + others : others + [mainPoster])
    }

    /// An element of `/search/shows?q=`.
    func hit(_ show: DemoShow, score: Double) -> JSON {
        ["score": .number(score), "show": self.show(show)]
    }

    /// The body of errors.
    func problem(_ status: Int, name: String, message: String = "") -> JSON {
        ["name": .string(name), "message": .string(message), "code": 0, "status": .integer(status)]
    }

    private func channel(_ channel: Channel) -> JSON {
        let country = channel.country.map { country in
            ([
                "name": .string(country.name),
                "code": .string(country.code),
                "timezone": .string(country.timezone),
            ] as JSON)
        }
        return [
            "id": .integer(channel.id), "name": .string(channel.name), "country": country ?? .null,
            "officialSite": .null,
        ]
    }

    private func image(of show: DemoShow) -> JSON {
        func url(_ size: PictureName.Size) -> JSON {
            .string(PictureName(show: show.id, slot: .mainPoster, size: size).url)
        }
        switch show.peculiarity {
        case .noPicture: return .null
        case .mediumMissing: return ["original": url(.original)]
        case .mediumNull: return ["medium": .null, "original": url(.original)]
        case .originalCut, .originalHTML, .mediumGone, nil:
            return ["medium": url(.portrait), "original": url(.original)]
        }
    }

    private func image(_ slot: PictureName.Slot, of show: DemoShow) -> JSON {
        let original = PictureName(show: show.id, slot: slot, size: .original)
        var resolutions: JSON = ["original": resolution(original)]
        let hasMedium =
            slot != .mainPoster
            || (show.peculiarity != .mediumNull && show.peculiarity != .mediumMissing)
        if hasMedium, let size = slot.mediumSize {
            let medium = PictureName(show: show.id, slot: slot, size: size)
            resolutions += ["medium": resolution(medium)]
        }
        return [
            "id": .integer(original.number), "type": JSON(slot.type),
            "main": .bool(slot == .mainPoster),
            "resolutions": resolutions,
        ]
    }

    private func resolution(_ name: PictureName) -> JSON {
        let size = name.pixels
        return [
            "url": .string(name.url), "width": .integer(size.width),
            "height": .integer(size.height),
        ]
    }
}

extension PictureName.Slot {
    /// What the API calls it; old pictures have no type.
    fileprivate var type: String? {
        switch self {
        case .mainPoster, .otherPoster: "poster"
        case .background: "background"
        case .banner: "banner"
        case .unclassified: nil
        }
    }

    /// Backgrounds and the unclassified have no medium size.
    var mediumSize: PictureName.Size? {
        switch self {
        case .mainPoster, .otherPoster: .portrait
        case .banner: .leaderboard
        case .background, .unclassified: nil
        }
    }
}

extension PictureName {
    /// Width and height.
    var pixels: (width: Int, height: Int) {
        switch (size, slot) {
        case (.portrait, _): (210, 295)
        case (.leaderboard, _): (758, 140)
        case (.original, .mainPoster), (.original, .otherPoster): (680, 1_000)
        case (.original, .background): (1_280, 720)
        case (.original, .banner): (758, 140)
        case (.original, .unclassified): (700, 467)
        }
    }
}
