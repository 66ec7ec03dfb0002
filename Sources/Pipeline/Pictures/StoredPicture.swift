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

    /// Returns whether both are the same thumbnail with the same dates.
    fileprivate func isSame(as other: StoredPicture) -> Bool {
        facts == other.facts && life.freshDate == other.life.freshDate
    }
}

/// The thumbnails that were in memory or were made since the start, as far as the table reaches. Any
/// thread.
///
/// Entries change together with ``HitMemory``, under its lock: a picture that was read before a purge
/// or before a newer picture is not entered after it.
final class StoredPictures: Sendable {
    private let table: CompactTable<StoredPicture>

    /// - Parameter bytes: limit of its memory.
    init(bytes: Int) { table = CompactTable(bytes: bytes) }

    var bytes: Int { table.bytes }

    func picture(_ name: Fingerprint) -> StoredPicture? { table.value(name) }

    /// Enters a picture, or replaces it. The stamp of an unchanged file stays.
    func enter(_ picture: StoredPicture, _ name: Fingerprint) {
        var picture = picture
        if let old = table.value(name), old.facts.digest == picture.facts.digest {
            picture.stamp = old.stamp
        }
        table.set(picture, for: name)
    }

    func remove(_ name: Fingerprint) { table.remove(name) }

    func removeAll() { table.removeAll() }

    func setInMemory(_ isInMemory: Bool, _ name: Fingerprint) {
        table.update(name) { $0.isInMemory = isInMemory }
    }

    /// Keeps the stamp of a file whose bytes matched, unless the entry was replaced meanwhile.
    func setStamp(_ stamp: FileStamp?, of picture: StoredPicture, _ name: Fingerprint) {
        table.update(name) { if $0.facts.digest == picture.facts.digest { $0.stamp = stamp } }
    }

    /// Returns whether the entry is still the same picture.
    func has(_ picture: StoredPicture, _ name: Fingerprint) -> Bool {
        table.value(name)?.isSame(as: picture) == true
    }
}
