import Imaging
import Logging

/// static.tvmaze.com: posters and other pictures, drawn when they are asked for.
struct TVMazePictureSite: DemoSite {
    let catalogue: DemoCatalogue
    let seed: UInt64
    let pictures: PictureStore
    let logger: Logger

    var hosts: [String] { ["static.tvmaze.com"] }

    func answer(_ request: DemoRequest) async -> DemoAnswer {
        guard let name = PictureName(path: request.path), let show = catalogue.show(name.show),
            exists(name, of: show)
        else { return .html("404 Not Found", status: 404) }
        if name.size == .original, name.slot == .mainPoster, show.peculiarity == .originalHTML {
            return .html("We are moving our pictures", status: 200)
        }
        let fields = [
            "ETag": entityTag(of: name), "Last-Modified": HTTPDate(seconds: show.updated).text,
            "Cache-Control": "public, max-age=604800", "Access-Control-Allow-Origin": "*",
        ]
        if isUnchanged(request, fields) {
            return DemoAnswer(status: 304, contentType: "image/jpeg", fields: fields, body: [])
        }
        do {
            var body = try await pictures.file(name, of: show)
            if name.size == .original, name.slot == .mainPoster, show.peculiarity == .originalCut {
                body.removeLast(body.count * 3 / 5)
            }
            return DemoAnswer(status: 200, contentType: "image/jpeg", fields: fields, body: body)
        } catch {
            logger.error("A picture could not be drawn", metadata: ["error": "\(error)"])
            return .html("500 Internal Server Error", status: 500)
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

    /// Known without drawing: a picture is what its seed and name make it.
    private func entityTag(of name: PictureName) -> String {
        var random = SeededRandom(
            seed: seed, 3, UInt64(name.number), UInt64(name.pixels.width),
            PosterArtist.version)
        return "\"\(String(random.next(), radix: 16))\""
    }

    private func isUnchanged(_ request: DemoRequest, _ fields: [String: String]) -> Bool {
        if let given = request.ifNoneMatch {
            return given.split(separator: ",").contains { tag in
                let tag = tag.filter { $0 != " " }
                return tag == "*"
                    || (tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag) == fields["ETag"]
            }
        }
        return request.ifModifiedSince.map { $0 == fields["Last-Modified"] } ?? false
    }
}
