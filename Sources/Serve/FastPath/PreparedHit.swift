import HTTPTypes
import NIOCore
import Pipeline

/// A thumbnail as it goes out: its body for the socket, and the lines that are the same in every
/// answer. Made once for a hit, shared by all event loops.
final class PreparedHit: PictureBytes, Sendable {
    let body: ByteBuffer
    /// With its quotes.
    let entityTag: [UInt8]
    let lastModified: [UInt8]
    private let fields: [UInt8]
    private let contentLength: [UInt8]

    init(_ picture: Picture) {
        body = ByteBuffer(bytes: picture.bytes)
        let fields = ThumbnailResponder.fields(picture, isNegotiated: false)
        entityTag = Array((fields[.eTag] ?? "").utf8)
        lastModified = Array((fields[.lastModified] ?? "").utf8)
        self.fields = Self.lines(fields)
        contentLength = Self.lines([.contentLength: "\(picture.bytes.count)"])
    }

    var bytes: [UInt8] { Array(body.readableBytesView) }

    /// What decides the head of an answer besides the picture.
    struct Variant: Equatable {
        var isNotModified: Bool
        var isNegotiated: Bool
        var closes: Bool
        var outcome: CacheOutcome
        var secondsLeft: Int
        /// Seconds since 1970, for `Date`.
        var second: Int
    }

    func head(_ variant: Variant, _ texts: inout HeadTexts) -> ByteBuffer {
        var head = ByteBufferAllocator().buffer(capacity: 896)
        head.writeStaticString(
            variant.isNotModified ? "HTTP/1.1 304 Not Modified\r\n" : "HTTP/1.1 200 OK\r\n")
        head.writeBytes(fields)
        if variant.isNegotiated { head.writeStaticString("Vary: Accept\r\n") }
        if !variant.isNotModified { head.writeBytes(contentLength) }
        head.writeBytes(variant.outcome == .hit ? texts.hit : texts.stale)
        head.writeBytes(texts.cacheControl)
        head.writeDecimal(variant.secondsLeft)
        head.writeBytes(texts.cacheControlEnd)
        if variant.closes { head.writeStaticString("Connection: close\r\n") }
        head.writeBytes(texts.date(variant.second))
        head.writeStaticString("\r\n")
        return head
    }

    static func lines(_ fields: HTTPFields) -> [UInt8] {
        fields.flatMap { Array("\($0.name.rawName): \($0.value)\r\n".utf8) }
    }
}

extension ByteBuffer {
    /// `number` is not negative.
    fileprivate mutating func writeDecimal(_ number: Int) {
        var rest = number
        var divisor = 1
        while rest / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            writeInteger(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / divisor))
            rest %= divisor
            divisor /= 10
        }
    }
}
