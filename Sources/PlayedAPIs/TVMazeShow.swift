/// A show as TVmaze's API has it. The defaults are those of a made-up show in a test.
package struct TVMazeShow: Sendable, Equatable {
    package static let host = "api.tvmaze.com"
    package static let imageHost = "static.tvmaze.com"

    package let id: Int
    package var name: String
    /// Its page for people.
    package var url: String
    package var type = "Scripted"
    package var language = "English"
    package var genres = ["Drama"]
    /// ISO dates. A show that has not ended runs.
    package var premiered: String? = "2013-06-24"
    package var ended: String?
    /// Minutes.
    package var runtime: Int?
    package var day = "Monday"
    /// Empty for streaming channels.
    package var time = "20:00"
    /// 0…10 with one decimal.
    package var rating: Double?
    package var weight = 50
    package var channel: Channel?
    /// HTML.
    package var summary: String?
    /// Seconds since 1970.
    package var updated = 1_500_000_000
    /// See ``links(medium:original:)``.
    package var image: JSON = .null

    package init(id: Int, name: String? = nil) {
        self.id = id
        self.name = name ?? "Show \(id)"
        url = "https://www.tvmaze.com/shows/\(id)"
    }

    /// The links to a show's picture. A link that is nil is omitted, one that is `null` is written.
    package static func links(medium: JSON?, original: JSON?) -> JSON {
        let links = [("medium", medium), ("original", original)]
        return .object(links.compactMap { name, url in url.map { (name: name, value: $0) } })
    }

    /// `/shows/{id}`, and an element of `/shows?page=`.
    package var json: JSON {
        [
            "id": .integer(id), "url": .string(url), "name": .string(name), "type": .string(type),
            "language": .string(language), "genres": JSON(strings: genres),
            "status": ended == nil ? "Running" : "Ended", "runtime": JSON(runtime),
            "averageRuntime": JSON(runtime), "premiered": JSON(premiered), "ended": JSON(ended),
            "officialSite": .null,
            "schedule": ["time": .string(time), "days": [.string(day)]],
            "rating": ["average": rating.map(JSON.number) ?? .null], "weight": .integer(weight),
            "network": channel?.isWeb == false ? JSON(channel) : .null,
            "webChannel": channel?.isWeb == true ? JSON(channel) : .null, "dvdCountry": .null,
            "externals": ["tvrage": .null, "thetvdb": .null, "imdb": .null], "image": image,
            "summary": JSON(summary), "updated": .integer(updated),
            "_links": ["self": ["href": "https://\(Self.host)/shows/\(id)"]],
        ]
    }

    /// An element of `/search/shows?q=`.
    package func hit(score: Double) -> JSON { ["score": .number(score), "show": json] }

    /// A network, or a streaming channel, which has no country.
    package struct Channel: Sendable, Equatable {
        package let id: Int
        package let name: String
        package let country: Country?

        package var isWeb: Bool { country == nil }

        package init(id: Int, name: String, country: Country?) {
            self.id = id
            self.name = name
            self.country = country
        }
    }

    package struct Country: Sendable, Equatable {
        package let name: String
        package let code: String
        package let timezone: String

        package init(name: String, code: String, timezone: String) {
            self.name = name
            self.code = code
            self.timezone = timezone
        }
    }
}

/// An element of `/shows/{id}/images`.
package struct TVMazeImage {
    package typealias File = (url: String, width: Int, height: Int)

    package let id: Int
    package var type: String? = "poster"
    package var isMain = false
    package let original: File
    package var medium: File?

    package init(
        id: Int, type: String? = "poster", isMain: Bool = false, original: File,
        medium: File? = nil
    ) {
        self.id = id
        self.type = type
        self.isMain = isMain
        self.original = original
        self.medium = medium
    }

    package var json: JSON {
        func resolution(_ file: File) -> JSON {
            [
                "url": .string(file.url), "width": .integer(file.width),
                "height": .integer(file.height),
            ]
        }
        var resolutions: JSON = ["original": resolution(original)]
        if let medium { resolutions += ["medium": resolution(medium)] }
        return [
            "id": .integer(id), "type": JSON(type), "main": .bool(isMain),
            "resolutions": resolutions,
        ]
    }
}

/// The body of TVmaze's errors.
package struct TVMazeProblem {
    package let status: Int
    package let name: String
    package var message = ""

    package static let notFound = TVMazeProblem(status: 404, name: "Not Found")

    package init(status: Int, name: String, message: String = "") {
        self.status = status
        self.name = name
        self.message = message
    }

    package var json: JSON {
        ["name": .string(name), "message": .string(message), "code": 0, "status": .integer(status)]
    }
}

extension JSON {
    fileprivate init(_ channel: TVMazeShow.Channel?) {
        guard let channel else {
            self = .null
            return
        }
        let country = channel.country.map { country in
            ([
                "name": .string(country.name), "code": .string(country.code),
                "timezone": .string(country.timezone),
            ] as JSON)
        }
        self = [
            "id": .integer(channel.id), "name": .string(channel.name),
            "country": country ?? .null, "officialSite": .null,
        ]
    }
}
