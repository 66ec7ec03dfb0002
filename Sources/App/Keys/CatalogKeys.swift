import Catalog
import Pipeline

extension ConfigurationKey {
    static let catalog: [Self] = [
        .single(
            "catalog.timeToLive", \.pipeline.catalog.timeToLive, .seconds(.zero...year),
            "Freshness of a catalog page, renewed when a fresh page is read again."),
        .single(
            "catalog.itemsOnDisk", \.pipeline.catalog.itemsOnDisk, .integer(0...1_000_000),
            "Items of a list, counted from its start, that are kept on disk. Later ones "
                + "are kept only in memory."),
    ]
}
