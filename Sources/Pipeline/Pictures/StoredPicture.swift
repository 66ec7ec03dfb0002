import FoundationEssentials
import Hashing
package import Imaging
import Memory
package import Store

/// A thumbnail on disk: all that a response needs except the bytes, in 136 bytes without pointers.
package struct StoredPicture: Sendable, BitwiseCopyable {
    package let facts: PictureFacts
    package let life: HitLife
    /// Of the format, in the order of all cases.
    package let formatNumber: UInt8
    /// Whether its bytes are in memory too. A hint: it can be wrong for a moment either way.
    package fileprivate(set) var isInMemory: Bool
    /// The file's attributes when its bytes were last compared with the digest.
    package fileprivate(set) var stamp: FileStamp?

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

extension CompactTable<StoredPicture> {
    /// Enters a picture, or replaces it. The stamp of an unchanged file stays.
    func enter(_ picture: StoredPicture, _ name: Fingerprint) {
        var picture = picture
        if let old = value(name), old.facts.digest == picture.facts.digest {
            picture.stamp = old.stamp
        }
        set(picture, for: name)
    }

    func setInMemory(_ isInMemory: Bool, _ name: Fingerprint) {
        update(name) { $0.isInMemory = isInMemory }
    }

    /// Keeps the stamp of a file whose bytes matched, unless the entry was replaced meanwhile.
    func setStamp(_ stamp: FileStamp?, of picture: StoredPicture, _ name: Fingerprint) {
        update(name) { if $0.facts.digest == picture.facts.digest { $0.stamp = stamp } }
    }

    /// Returns whether the entry is still the same thumbnail with the same dates.
    func has(_ picture: StoredPicture, _ name: Fingerprint) -> Bool {
        value(name).map { known in
            known.facts == picture.facts && known.life.freshDate == picture.life.freshDate
        } ?? false
    }
}
