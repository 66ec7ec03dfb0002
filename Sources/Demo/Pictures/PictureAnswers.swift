import FoundationEssentials
import HTTP
import Imaging
import Logging

/// Answers for pictures that are drawn when they are asked for: validators first, then bytes.
struct PictureAnswers: Sendable {
    let seed: UInt64
    let store: PictureStore
    let logger: Logger

    /// One file of a drawing.
    struct Picture: Sendable {
        /// Unique over all hosts: usually host and path. Files of one drawing share it.
        var drawing: String
        /// Which of the drawing's files.
        var file = 0
        /// Seconds since 1970.
        var modified: Int
        var contentType = "image/jpeg"
        /// A share of the file is withheld if the transfer is to break off.
        var share = 1.0
    }

    /// `draw` gives all files of the drawing.
    func answer(
        _ request: DemoRequest, _ picture: Picture,
        draw: @escaping @Sendable () throws -> [[UInt8]]
    ) async -> DemoAnswer {
        let fields = [
            "ETag": entityTag(of: picture),
            "Last-Modified": HTTPDate.format(
                Date(timeIntervalSince1970: Double(picture.modified))),
            "Cache-Control": "public, max-age=604800", "Access-Control-Allow-Origin": "*",
        ]
        if isUnchanged(request, fields) {
            return DemoAnswer(
                status: 304, contentType: picture.contentType, fields: fields, body: [])
        }
        do {
            let files = try await store.files(picture.drawing, draw: draw)
            var body = files[picture.file]
            if picture.share < 1 { body.removeLast(Int(Double(body.count) * (1 - picture.share))) }
            return DemoAnswer(
                status: 200, contentType: picture.contentType, fields: fields, body: body)
        } catch {
            logger.error("A picture could not be drawn", metadata: ["error": "\(error)"])
            return .html("500 Internal Server Error", status: 500)
        }
    }

    /// Known without drawing: a picture is what its seed and name make it.
    private func entityTag(of picture: Picture) -> String {
        var random = SeededRandom(
            seed: seed, 3, SeededRandom.salt("\(picture.drawing) \(picture.file)"),
            Artist.version)
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
