import HTTPTypes
import HitServer
import NIOCore
import Pipeline

/// A thumbnail's bytes in the form in which they are sent. Memory keeps them in this form only.
final class PreparedPicture: PictureBytes, Sendable {
    let prepared: PreparedHit

    /// - Parameter tagLines: fields that name its item.
    init(_ picture: Picture, _ tagLines: [UInt8]) {
        let body = BodyBuffer(bytes: ByteBuffer(bytes: picture.bytes))
        let fields = ThumbnailResponder.fields(picture, isNegotiated: false)
        prepared = PreparedHit(
            body: body.view, owner: body, entityTag: Array((fields[.eTag] ?? "").utf8),
            lastModified: Array((fields[.lastModified] ?? "").utf8),
            fields: HTTPFields.lines(fields) + tagLines)
    }

    var bytes: [UInt8] { Array(prepared.body) }
}

extension PreparedHit {
    /// The body for a channel, shared and not copied.
    var buffer: ByteBuffer {
        (owner as? BodyBuffer)?.bytes ?? ByteBuffer(bytes: body)
    }
}

extension HTTPFields {
    /// Returns the fields as they are sent, each with CR LF.
    static func lines(_ fields: HTTPFields) -> [UInt8] {
        fields.flatMap { Array("\($0.name.rawName): \($0.value)\r\n".utf8) }
    }
}
