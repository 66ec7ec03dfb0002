import HTTPTypes
import NIOCore
import Pipeline

/// A thumbnail as it goes out: its body for the socket, and the lines that are the same in every
/// answer. Made once for a hit, shared by all event loops.
final class PreparedHit: PictureBytes, Sendable {
    let body: ByteBuffer
    /// The bytes of ``body``; valid as long as this object lives.
    // nonisolated(unsafe) because nobody ever writes to them.
    nonisolated(unsafe) let bodyAddress: UnsafeRawBufferPointer
    /// With its quotes.
    let entityTag: [UInt8]
    let lastModified: [UInt8]
    private let fields: [UInt8]
    private let contentLength: [UInt8]

    init(_ picture: Picture) {
        let body = ByteBuffer(bytes: picture.bytes)
        self.body = body
        // The storage stays where it is while a buffer that nobody changes refers to it.
        bodyAddress = body.withUnsafeReadableBytesWithStorageManagement { bytes, _ in bytes }
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
        /// Of freshness; below 0 once that is over.
        var secondsLeft: Int
        /// Until its link stops counting; `nil` where it does not.
        var linkLeft: Int?
        /// Seconds since 1970, for `Date`.
        var second: Int
    }

    func head(_ variant: Variant, _ texts: inout HeadTexts) -> [UInt8] {
        var head: [UInt8] = []
        head.reserveCapacity(896)
        head += variant.isNotModified ? HeadTexts.notModified : HeadTexts.full
        head += fields
        if variant.isNegotiated { head += HeadTexts.vary }
        if !variant.isNotModified { head += contentLength }
        head += variant.outcome == .hit ? texts.hit : texts.stale
        if let linkLeft = variant.linkLeft {
            head += texts.cacheControl(left: variant.secondsLeft, linkLeft: linkLeft)
        } else {
            head += texts.cacheControl
            head.append(decimal: max(0, variant.secondsLeft))
            head += texts.staleness
        }
        head += texts.age
        head.append(decimal: max(0, -variant.secondsLeft))
        head += HeadTexts.lineEnd
        if variant.closes { head += HeadTexts.close }
        head += texts.date(variant.second)
        head += HeadTexts.end
        return head
    }

    static func lines(_ fields: HTTPFields) -> [UInt8] {
        fields.flatMap { Array("\($0.name.rawName): \($0.value)\r\n".utf8) }
    }
}

extension [UInt8] {
    /// `number` is not negative.
    fileprivate mutating func append(decimal number: Int) {
        var rest = number
        var divisor = 1
        while rest / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / divisor))
            rest %= divisor
            divisor /= 10
        }
    }
}
