import Catalog
import FoundationEssentials
import Hashing
import Imaging
import Store

/// Makes the rows that bind an item to the original of its pictures, or to the failure that replaces
/// them.
struct MissBindings: Sendable {
    let context: MissContext
    let item: Item
    /// Whether the original is a file of this machine.
    let isFile: Bool

    /// Returns the row of a level that shows an original.
    func shown(
        _ level: Level, _ original: Original, freshUntil: Date, _ trace: [UInt8],
        at now: Date
    ) -> BindingRecord {
        binding(
            level, to: original.digest, url: original.record.url, failure: original.failure,
            freshUntil: freshUntil, trace: trace, at: now)
    }

    /// Returns the row of a level for which every candidate failed. The earlier original stays if the
    /// failure allows it.
    ///
    /// - Parameter tooLarge: the original whose pyramid can't be made. The failure is that of its bytes.
    func failed(
        _ level: Level, _ failure: Failure, _ tooLarge: Original?, _ known: [BindingRecord],
        _ trace: [UInt8], at now: Date
    ) -> BindingRecord {
        if let tooLarge {
            return binding(
                level, to: tooLarge.digest, url: tooLarge.record.url, failure: failure,
                freshUntil: now, trace: trace, at: now)
        }
        let earlier = known.first { $0.level == level.key && $0.original != nil }
        guard let earlier, Resolution.keepsStored(despite: failure) else {
            return binding(
                level, to: nil, url: nil, failure: failure, freshUntil: failure.until, trace: trace,
                at: now)
        }
        return binding(
            level, to: earlier.original, url: earlier.url, failure: failure,
            freshUntil: earlier.freshUntil, trace: trace, at: now)
    }

    /// Writes the result of a miss to the index. The item is marked for its upload, which begins after that.
    /// A file is not marked, because other nodes have other ones.
    func record(
        original: OriginalRecord?, _ thumbnails: [ThumbnailRecord], _ rows: [BindingRecord],
        summary: SummaryRecord?, isShared: Bool = true
    ) async throws {
        let marks = isFile || !isShared ? [] : context.shared?.marks(item) ?? []
        try await context.thumbnails.record(
            original: original, thumbnails, rows, summary: summary, documents: marks)
        if !marks.isEmpty { context.shared?.waiting.ring() }
    }

    private func binding(
        _ level: Level, to original: Digest?, url: String?, failure: Failure?, freshUntil: Date,
        trace: [UInt8], at now: Date
    ) -> BindingRecord {
        BindingRecord(
            item: item.description, level: level.key, original: original, url: url,
            failure: failure.map(FailureRecord.init), trace: trace,
            resolvedAt: now, freshUntil: freshUntil)
    }
}
