import Catalog
import FoundationEssentials
import Hashing
import Imaging
import Memory
import Store

/// Makes thumbnails of stored originals in further formats, for a service that has nothing else to
/// do. Asks no origin and no catalog.
package struct IdleFormats: Sendable {
    private let pictures: Pictures
    private let formats: [ThumbnailFormat]
    private let levels: [Level]
    /// Returns whether the cache has room, so that nothing is evicted for these.
    private let hasRoom: @Sendable () -> Bool

    /// Items of one step.
    private static let stepItems = 100

    init(
        _ pictures: Pictures, formats: [ThumbnailFormat], levels: [Level],
        hasRoom: @escaping @Sendable () -> Bool
    ) {
        self.pictures = pictures
        self.formats = formats
        self.levels = levels
        self.hasRoom = hasRoom
    }

    /// Whether there is something to make at all.
    package var isWanted: Bool { !formats.isEmpty }

    /// The result of a step.
    package struct Step: Sendable, Equatable {
        /// Where the next step begins; nil after the last item.
        package var next: Int64?
        /// Thumbnails that were made.
        package var thumbnails = 0
    }

    /// Looks through the next items. Lets clients go first.
    ///
    /// - Parameter place: 0 to begin.
    /// - Throws: ``Failure`` if the store can't be read or written; `CancellationError`.
    package func step(from place: Int64 = 0) async throws -> Step {
        try await Failure.catching { [self] in
            let items = try await pictures.thumbnails.index.items(
                after: place, limit: Self.stepItems)
            var step = Step(next: items.count < Self.stepItems ? nil : items.last?.number)
            for (_, name) in items {
                await pictures.visitors.gone()
                try Task.checkCancellation()
                guard hasRoom() else { return Step(next: nil, thumbnails: step.thumbnails) }
                if let item = Item(name) { step.thumbnails += try await make(item) }
            }
            return step
        }
    }

    private func make(_ item: Item) async throws -> Int {
        let thumbnails = pictures.thumbnails
        var made = 0
        let bindings = try await thumbnails.bindings(of: item)
        for original in Set(bindings.compactMap(\.original)) {
            let own = bindings.filter { $0.original == original }
            let wanted = levels.filter { level in own.contains { $0.level == level.key } }
                .map { pictures.context.sources.level($0, of: item) }
                .flatMap { level in formats.map { Rendition(level: level, format: $0) } }
            let missing = try await thumbnails.stored(of: original, among: Set(wanted)).missing
            guard !missing.isEmpty, let url = own.first?.url else { continue }
            made += try await render(missing, of: original, at: url, for: item)
        }
        return made
    }

    private func render(
        _ missing: [Rendition], of original: Digest, at url: String, for item: Item
    ) async throws -> Int {
        guard let (bytes, hold) = try await bytes(of: original, at: url, for: item) else {
            return 0
        }
        defer { withExtendedLifetime(hold) {} }
        let rendering: Rendering
        do {
            rendering = try await pictures.context.renders.render(
                original, bytes, missing, for: .item(item), urgency: Urgency())
        } catch let error as ImagingError where error.rejection != nil {
            // Clients learn that when they ask for it.
            return 0
        }
        let made = pictures.thumbnails.pictures(
            rendering.thumbnails, freshUntil: .distantPast, failure: nil)
        let records = try await pictures.thumbnails.store(made, of: original)
        try await pictures.thumbnails.record(original: nil, records, [], summary: nil)
        return records.count
    }

    /// Returns an original as it is stored or as it lies in a folder; nil if it is neither.
    private func bytes(
        of original: Digest, at url: String, for item: Item
    ) async throws -> (bytes: [UInt8], hold: ByteBudget.Hold?)? {
        let context = pictures.context
        if let folder = context.folders.folder(of: item) {
            return try await context.folders.unchangedBytes(of: original, item, folder)
        }
        let stored = Original(
            digest: original, record: OriginalRecord(url: url, fetchedAt: .now, freshUntil: .now),
            origin: .stored, note: "stored")
        return try await context.originals.bytes(of: stored)
    }
}

extension UpkeepStatus {
    /// Whether a tenth of the limits is free. Limits that are not known yet count as free.
    var hasRoom: Bool {
        limits == DiskUsage()
            || usage.bytes / 9 * 10 <= limits.bytes && usage.files / 9 * 10 <= limits.files
    }
}
