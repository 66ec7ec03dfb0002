package import Catalog
package import Imaging
import Store

/// Size of a stored thumbnail.
package struct ThumbnailSize: Sendable, Equatable {
    package var level: Level
    package var width: Int
    package var height: Int
}

/// The stored facts about an item's picture.
package struct ShownPicture: Sendable, Equatable {
    /// Sizes of the thumbnails in any format, smallest level first.
    package var sizes: [ThumbnailSize] = []
    package var summary: PictureSummary?
    /// Why the thumbnail is missing, while that is remembered.
    package var failure: Failure?
}

extension Pictures {
    /// Returns the stored facts about items. Items that were never looked up are missing.
    package func shown(_ items: [Item]) async throws(Failure) -> [Item: ShownPicture] {
        guard items.contains(where: isListed) else { return try await kept(items) }
        var names: [Item: Item] = [:]
        for item in items { names[item] = await pictured(item) }
        let known = try await kept(Array(Set(names.values)))
        return names.compactMapValues { known[$0] }
    }

    private func kept(_ items: [Item]) async throws(Failure) -> [Item: ShownPicture] {
        try await Failure.catching { [self] in
            // What a client has seen is described, too.
            let meant = Set(items)
            await settled { meant.contains($0) }
            let records = Dictionary(
                grouping: try await thumbnails.index.shown(items: items.map(\.description)),
                by: { Item($0.item) })
            var shown: [Item: ShownPicture] = [:]
            for item in items {
                guard let known = records[item] else { continue }
                var picture = ShownPicture()
                for level in configuration.levels {
                    guard let record = known.first(where: { $0.level == level.key }) else {
                        continue
                    }
                    picture.sizes.append(
                        ThumbnailSize(level: level, width: record.width, height: record.height))
                    // Levels may show different originals. The largest level's is the best.
                    picture.summary =
                        record.summary.flatMap(PictureSummary.init) ?? picture.summary
                }
                shown[item] = picture
            }
            let unknown = items.filter { shown[$0] == nil }.map(\.description)
            for record in try await thumbnails.index.items(unknown) where record.originals.isEmpty {
                let failures = record.resolutions.compactMap(\.failure)
                guard let item = Item(record.item),
                    let failure = failures.max(by: { $0.until < $1.until }), failure.until > now()
                else { continue }
                var picture = ShownPicture()
                picture.failure = Failure(failure)
                shown[item] = picture
            }
            return shown
        }
    }
}
