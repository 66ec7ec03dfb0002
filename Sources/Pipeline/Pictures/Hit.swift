package import FoundationEssentials
import Synchronization

/// A thumbnail's bytes in whatever form its user keeps them, so that memory holds them once.
package protocol PictureBytes: Sendable {
    /// The bytes, copied where that form is another one.
    var bytes: [UInt8] { get }
}

/// A thumbnail in memory. Any thread; whether it still counts is asked without a lock.
package final class Hit: Sendable {
    let key: PictureKey
    /// Everything but the bytes.
    private let facts: Picture
    /// When it was made, by the clock of that time.
    private let madeAt: Date
    private let content: Mutex<any PictureBytes>
    private let isRetired = Atomic(false)
    private let wasUsed = Atomic(false)

    init(_ picture: Picture, _ key: PictureKey, at now: Date) {
        self.key = key
        madeAt = now
        var facts = picture
        facts.bytes = []
        self.facts = facts
        content = Mutex(PlainBytes(bytes: picture.bytes))
    }

    /// Whether this is what a request gets; false for good once it was replaced, removed or evicted.
    package var isCurrent: Bool { !isRetired.load(ordering: .acquiring) }

    package var isPlaceholder: Bool { facts.isPlaceholder }

    /// How it is served at `now`.
    package func outcome(at now: Date) -> CacheOutcome {
        (facts.freshUntil > now && isCredible(at: now)) || facts.isPlaceholder ? .hit : .stale
    }

    /// Whether its dates mean anything at `now`: not those of a clock that was set back since.
    func isCredible(at now: Date) -> Bool {
        madeAt <= now.addingTimeInterval(FreshnessPolicy.tolerance)
    }

    /// Whether whoever serves it at `now` should tell ``MediaPipeline/refresh(_:)``.
    package func wantsRefresh(at now: Date) -> Bool {
        facts.wantsRefresh(at: now) || !isCredible(at: now)
    }

    /// Seconds of freshness left at `now`; below 0 once that is over.
    package func secondsLeft(at now: Date) -> Int {
        isCredible(at: now) ? Int(facts.freshUntil.timeIntervalSince(now)) : 0
    }

    /// Says that it was served without asking the memory tier, which keeps what is used.
    package func use() {
        // Only a first use writes: cores that serve the same picture must not fight for the line.
        if !wasUsed.load(ordering: .relaxed) { wasUsed.store(true, ordering: .relaxed) }
    }

    /// The picture with its bytes.
    package var picture: Picture {
        var picture = facts
        picture.bytes = content.withLock { $0 }.bytes
        return picture
    }

    /// The bytes in the caller's form, made once from the whole picture and kept in place of the form
    /// before.
    package func content<Form: PictureBytes>(_ make: (Picture) -> Form) -> Form {
        content.withLock { content in
            if let form = content as? Form { return form }
            var picture = facts
            picture.bytes = content.bytes
            let form = make(picture)
            content = form
            return form
        }
    }

    func takeUse() -> Bool { wasUsed.exchange(false, ordering: .relaxed) }
    func retire() { isRetired.store(true, ordering: .releasing) }
}

private struct PlainBytes: PictureBytes {
    let bytes: [UInt8]
}
