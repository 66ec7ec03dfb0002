import FoundationEssentials
package import Imaging
package import Store

/// A thumbnail on disk: all that a response needs except the bytes, in 136 bytes without pointers.
package struct StoredPicture: Sendable, BitwiseCopyable {
    package let facts: PictureFacts
    package let life: HitLife
    /// Of the format, in the order of all cases.
    package let formatNumber: UInt8
    /// Whether its bytes are in memory too. A hint: it can be wrong for a moment either way.
    package var isInMemory: Bool
    /// The file's attributes when its bytes were last compared with the digest.
    package var stamp: FileStamp?

    init(_ picture: Picture, at now: Date) {
        facts = picture.facts
        life = HitLife(picture, at: now)
        formatNumber = UInt8(ThumbnailFormat.allCases.firstIndex(of: picture.format) ?? 0)
        isInMemory = false
        stamp = nil
    }

    package var format: ThumbnailFormat { ThumbnailFormat.allCases[Int(formatNumber)] }

    /// Returns the picture with its bytes; nil if its last refresh failed, whose reason is not kept.
    func picture(_ bytes: [UInt8]) -> Picture? {
        guard !life.hasFailed else { return nil }
        return Picture(
            facts: facts, bytes: bytes, format: format, freshUntil: life.freshDate, failure: nil,
            isPlaceholder: false)
    }
}
