package import Catalog
package import Pipeline

/// The store that all nodes share, as workers and the reconciler use it.
package protocol FleetStore: Sendable {
    /// Names everything that decides the bytes of thumbnails besides the originals. Only workers of
    /// the same recipe take a job.
    var recipe: String { get }

    /// Takes over what the feeder was told about items, so that their catalogs are not asked again.
    func learn(_ descriptions: [ItemDescription]) async throws(Failure)

    /// Makes everything that the store holds of an item. Returns once the store has confirmed it.
    ///
    /// - Throws: ``Failure``: `storeUnusable` with `retryAfter` while the store can't be reached.
    func publish(_ item: Item, again: Bool) async throws(Failure) -> PublishedItem

    /// Returns how the items are stored.
    func check(
        _ items: [Item], concurrency: Int
    ) async throws(Failure) -> [Item: SharedItem]
}

extension SharedPictures: FleetStore {}
