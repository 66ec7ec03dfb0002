import Catalog
package import FoundationEssentials
import Hashing
import Imaging
package import Memory
import Store
import Synchronization

/// A thumbnail's bytes in the form that their user needs, so that memory holds them only once.
package protocol PictureBytes: Sendable {
    /// The bytes, copied if the form is not an array.
    var bytes: [UInt8] { get }
}

/// A thumbnail in memory. Any thread; ``isCurrent`` takes no lock.
package final class Hit: Sendable {
    let key: PictureKey
    /// Of its key. See ``Pictures/stored(_:)``.
    package let name: Fingerprint
    /// Without its bytes.
    private let shown: Picture
    private let life: HitLife
    private let content: Mutex<any PictureBytes>
    private let isRetired = Atomic(false)
    private let wasUsed = Atomic(false)
    /// The count of ``StoredAVIFs/others`` for which an AVIF in its place was looked for.
    private let lookedFor = Atomic(0)
    /// Counts the bytes, for as long as anything has them: a client that takes them slowly keeps them after their
    /// eviction.
    package let hold: Room.Hold?

    /// - Parameter hold: of the bytes.
    init(
        _ picture: Picture, _ key: PictureKey, _ name: Fingerprint, _ hold: Room.Hold? = nil,
        at now: Date
    ) {
        self.key = key
        self.hold = hold
        self.name = name
        isOfFile = key.item.kind == FolderSource.kind
        life = HitLife(picture, at: now)
        shown = picture.withoutBytes
        content = Mutex(PlainBytes(bytes: picture.bytes))
    }

    /// Whether requests get this thumbnail. False for ever after it was replaced, removed or
    /// evicted.
    package var isCurrent: Bool { !isRetired.load(ordering: .acquiring) }

    package var isPlaceholder: Bool { shown.isPlaceholder }

    /// Whether it is of a file, which can change at any time.
    package let isOfFile: Bool

    /// Returns whether a request gets the same from it as from that picture, except for the time of
    /// rendering.
    func shows(_ picture: Picture) -> Bool {
        shown.facts.digest == picture.facts.digest && shown.freshUntil == picture.freshUntil
            && shown.failure == picture.failure && shown.isPlaceholder == picture.isPlaceholder
    }

    var digest: Digest { shown.facts.digest }

    /// Returns the outcome of serving it at `now`.
    package func outcome(at now: Date) -> CacheOutcome {
        shown.isPlaceholder ? .hit : life.outcome(at: now)
    }

    /// Returns whether its dates are plausible. They are not if the clock was set back since.
    func isCredible(at now: Date) -> Bool { life.isCredible(at: now) }

    /// Returns whether a caller that serves it at `now` should call ``Pictures/refresh(_:)``.
    package func wantsRefresh(at now: Date) -> Bool { life.wantsRefresh(at: now) }

    /// Returns the seconds of freshness left at `now`; negative after the expiry.
    package func secondsLeft(at now: Date) -> Int { life.secondsLeft(at: now) }

    /// Marks it as used, for callers that serve it without the memory tier. The tier evicts unused
    /// hits first.
    package func use() {
        // Only the first use writes, so that cores don't contend for the cache line.
        if !wasUsed.load(ordering: .relaxed) { wasUsed.store(true, ordering: .relaxed) }
    }

    /// The picture with its bytes.
    package var picture: Picture {
        var picture = shown
        picture.bytes = content.withLock { $0 }.bytes
        return picture
    }

    /// Returns the bytes in the caller's form. It is made once and replaces the previous form.
    package func content<Form: PictureBytes>(_ make: (Picture) -> Form) -> Form {
        content.withLock { content in
            if let form = content as? Form { return form }
            var picture = shown
            picture.bytes = content.bytes
            let form = make(picture)
            content = form
            return form
        }
    }

    /// Whether it is a picture for which there may be an AVIF.
    var mayHaveAVIF: Bool { !shown.isPlaceholder && shown.format != .avif }

    /// Returns whether no AVIF was looked for since that count.
    func mayLook(at count: Int) -> Bool { lookedFor.load(ordering: .relaxed) < count }

    /// Returns whether the caller is the first that looks for an AVIF since that count.
    func beginsLook(at count: Int) -> Bool {
        let last = lookedFor.load(ordering: .relaxed)
        return last < count
            && lookedFor.compareExchange(expected: last, desired: count, ordering: .relaxed)
                .exchanged
    }

    func takeUse() -> Bool { wasUsed.exchange(false, ordering: .relaxed) }
    func retire() { isRetired.store(true, ordering: .releasing) }
}

private struct PlainBytes: PictureBytes {
    let bytes: [UInt8]
}
