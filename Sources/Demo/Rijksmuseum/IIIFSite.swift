import Imaging
import PlayedAPIs

/// iiif.micr.io: artworks in any size by the IIIF Image API 3, whole and upright.
struct IIIFSite: DemoSite {
    let catalog: ObjectCatalog
    let artist: Artist
    let pictures: PictureAnswers

    var hosts: [String] { [MuseumDocument.imageHost] }

    func answer(_ request: DemoRequest) async -> DemoAnswer {
        let parts = request.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.first, let object = catalog.object(image: name) else {
            return .notFound
        }
        switch parts.count {
        case 1: return redirect(to: object)
        case 2 where parts[1] == "info.json":
            var answer = DemoAnswer.json(object.imageInfo)
            answer.contentType = "application/ld+json"
            return answer
        case 5: return await picture(of: object, Array(parts.dropFirst()), request)
        default: return .notFound
        }
    }

    private func redirect(to object: DemoObject) -> DemoAnswer {
        var answer = DemoAnswer.html("303 See Other", status: 303)
        answer.fields["Location"] = "https://\(MuseumDocument.imageHost)/\(object.image)/info.json"
        return answer
    }

    /// `parts` are region, size, rotation, and quality with format.
    private func picture(
        of object: DemoObject, _ parts: [Substring], _ request: DemoRequest
    ) async -> DemoAnswer {
        let file = parts[3].split(separator: ".", omittingEmptySubsequences: false)
        guard file.count == 2, let format = PictureFormat(extension: file[1]),
            let size = IIIFSize(
                parts[1].decodedCaret, width: object.width, height: object.height,
                maxArea: MuseumDocument.maxArea)
        else { return .html("400 Bad Request", status: 400) }
        guard parts[0] == "full", parts[2] == "0", ["default", "color"].contains(file[0]) else {
            return .html("501 Not Implemented", status: 501)
        }
        var picture = PictureAnswers.Picture(
            drawing: "iiif.micr.io/\(object.image)/\(size.width),\(size.height).\(file[1])",
            modified: 1_601_363_948)
        picture.contentType = format.contentType
        return await pictures.answer(request, picture) { [artist] in
            let canvas = try artist.artwork(object).draw(width: size.width, height: size.height)
            return [try format.encode(canvas, quality: Artist.artworkQuality)]
        }
    }
}

extension Substring {
    /// Clients that encode everything send `%5E`.
    fileprivate var decodedCaret: String {
        hasPrefix("%5E") || hasPrefix("%5e") ? "^\(dropFirst(3))" : String(self)
    }
}
