import FoundationEssentials
import HTTP
import HTTPTypes
import Hashing
import Imaging
import Pipeline
import Store

/// Writes the header lines of a picture without building its fields. They are those of
/// ``ThumbnailResponder/fields(_:_:_:isNegotiated:)`` for another picture, with that one's digest and date
/// in their places.
struct PictureFields: Sendable {
    private struct Template: Sendable {
        var lines: FieldLines
        var hex: Int
        var base64: Int
        var date: Int

        init(_ format: ThumbnailFormat) {
            let (digest, date) = (Digest(of: [] as [UInt8]), Date(timeIntervalSince1970: 0))
            let lines = FieldLines(
                ThumbnailResponder.fields(digest, format, date, isNegotiated: false))
            func place(of text: String) -> Int {
                guard let place = lines.bytes.firstRange(of: Array(text.utf8)) else {
                    preconditionFailure("the fields of a picture have no “\(text)”")
                }
                return place.lowerBound
            }
            self.lines = lines
            hex = place(of: digest.hex)
            base64 = place(of: digest.base64)
            self.date = place(of: HTTPDate.format(date))
        }
    }

    private let templates = ThumbnailFormat.allCases.map(Template.init)

    /// Returns the response to a hit from disk.
    ///
    /// - Parameters:
    ///   - body: nil if it is not sent, or sent from a file.
    ///   - file: has the body.
    ///   - tagLines: fields that name its item.
    func prepared(
        _ picture: StoredPicture, _ body: BodyBuffer?, _ file: VerifiedFile?, _ tagLines: FieldLines
    ) -> PreparedHit {
        let template = templates[Int(picture.formatNumber)]
        var lines = template.lines
        let digest = picture.facts.digest.bytes
        var tag = [UInt8]()
        var date = [UInt8]()
        lines.change { lines in
            Self.writeHex(digest, to: lines, at: template.hex)
            Self.writeBase64(digest, to: lines, at: template.base64)
            let place = UnsafeMutableRawBufferPointer(rebasing: lines[template.date...])
            HTTPDate.write(picture.facts.renderedAt, to: place)
            date = Array(place.prefix(HTTPDate.byteCount))
            // With the quotes and the name of the hash around it.
            let start = template.hex - Self.tagStart
            tag = Array(lines[start..<template.hex + 2 * Digest.byteCount + 1])
        }
        lines.add(tagLines)
        return PreparedHit(
            body: body?.view, file: file, byteCount: picture.facts.byteCount, owner: body,
            entityTag: tag,
            lastModified: date, fields: lines)
    }

    /// Bytes of an entity tag before the digits.
    private static let tagStart =
        Digest(of: [] as [UInt8]).entityTag.utf8.count
        - 2 * Digest.byteCount - 1

    private static let digits = Array("0123456789abcdef".utf8)

    private static func writeHex(
        _ bytes: [UInt8], to text: UnsafeMutableRawBufferPointer, at start: Int
    ) {
        var place = start
        for byte in bytes {
            text[place] = digits[Int(byte >> 4)]
            text[place + 1] = digits[Int(byte & 15)]
            place += 2
        }
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// RFC 4648, section 4.
    private static func writeBase64(
        _ bytes: [UInt8], to text: UnsafeMutableRawBufferPointer, at start: Int
    ) {
        var place = start
        for first in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - first)
            var bits = 0
            for index in 0..<3 {
                bits = bits << 8 | (index < count ? Int(bytes[first + index]) : 0)
            }
            for index in 0..<4 {
                let letter = alphabet[bits >> (18 - 6 * index) & 63]
                text[place] = index > count ? UInt8(ascii: "=") : letter
                place += 1
            }
        }
    }
}
