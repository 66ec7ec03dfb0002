package import JSON

/// A show as TVmaze's API has it, with the fields that a reader needs. The defaults are those of a
/// made-up show in a test.
package struct TVMazeShow: Sendable, Equatable {
    package static let host = "api.tvmaze.com"
    package static let imageHost = "static.tvmaze.com"

    package let id: Int
    package var name: String
    /// Its page for people.
    package var url: String
    package var language = "English"
    package var genres = ["Drama"]
    /// ISO date.
    package var premiered: String? = "2013-06-24"
    /// A network, or a streaming channel.
    package var channel: String?
    package var isStreamed = false
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
        return .object(links.compactMap { name, url in url.map { JSON.Member(name, $0) } })
    }

    /// `/shows/{id}`, and an element of `/shows?page=`.
    package var json: JSON {
        let named = channel.map { ["name": .text($0)] as JSON } ?? .null
        return [
            "id": .integer(id), "url": .text(url), "name": .text(name),
            "language": .text(language), "genres": JSON(genres),
            "premiered": JSON(premiered), "network": isStreamed ? .null : named,
            "webChannel": isStreamed ? named : .null, "image": image, "summary": JSON(summary),
            "updated": .integer(updated),
        ]
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
                "url": .text(file.url), "width": .integer(file.width),
                "height": .integer(file.height),
            ]
        }
        var resolutions: JSON = ["original": resolution(original)]
        if let medium { resolutions += ["medium": resolution(medium)] }
        return [
            "id": .integer(id), "type": JSON(type), "main": .flag(isMain),
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
        ["name": .text(name), "message": .text(message), "code": 0, "status": .integer(status)]
    }
}
