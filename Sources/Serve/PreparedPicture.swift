import HTTP
import HTTPTypes
import Memory
import Pipeline

/// A thumbnail's bytes in the form in which they are sent. Memory keeps them in this form only.
final class PreparedPicture: PictureBytes, Sendable {
    let prepared: PreparedHit

    /// - Parameters:
    ///   - tagLines: fields that name its item.
    ///   - hold: counts the bytes as long as a response has them.
    init(_ picture: Picture, _ tagLines: FieldLines, _ hold: Room.Hold?) {
        prepared = PreparedHit(
            .picture, ThumbnailResponder.fields(picture, isNegotiated: false), tagLines,
            body: BodyBuffer(picture.bytes, hold))
    }

    var bytes: [UInt8] { Array(prepared.body) }
}

extension PreparedHit {
    /// - Parameters:
    ///   - fields: all of the response, except those about the body's length, the connection and the time.
    ///   - more: lines that follow them.
    convenience init(
        _ route: HitRoute, _ fields: HTTPFields, _ more: FieldLines = FieldLines(),
        body: BodyBuffer?, file: (any HitFile)? = nil, byteCount: Int? = nil
    ) {
        var lines = FieldLines(fields)
        lines.add(more)
        self.init(
            route, body: body?.view, file: file, byteCount: byteCount, owner: body,
            entityTag: Array((fields[.eTag] ?? "").utf8),
            lastModified: Array((fields[.lastModified] ?? "").utf8), fields: lines)
    }
}

extension FieldLines {
    init(_ fields: HTTPFields) {
        self.init()
        for field in fields { add(field.name.rawName, field.value) }
    }
}
