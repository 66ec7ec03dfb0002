import HTTP
import HTTPTypes
import Pipeline

/// A thumbnail's bytes in the form in which they are sent. Memory keeps them in this form only.
final class PreparedPicture: PictureBytes, Sendable {
    let prepared: PreparedHit

    /// - Parameter tagLines: fields that name its item.
    init(_ picture: Picture, _ tagLines: FieldLines) {
        let body = BodyBuffer(picture.bytes)
        let fields = ThumbnailResponder.fields(picture, isNegotiated: false)
        var lines = FieldLines(fields)
        lines.add(tagLines)
        prepared = PreparedHit(
            body: body.view, owner: body, entityTag: Array((fields[.eTag] ?? "").utf8),
            lastModified: Array((fields[.lastModified] ?? "").utf8),
            fields: lines)
    }

    var bytes: [UInt8] { Array(prepared.body) }
}

extension FieldLines {
    init(_ fields: HTTPFields) {
        self.init()
        for field in fields { add(field.name.rawName, field.value) }
    }
}
