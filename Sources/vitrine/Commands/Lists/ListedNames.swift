import Catalog
import Pipeline
import Synchronization

/// What a list calls its pictures, until they are written to a manifest. Thread-safe.
///
/// A run has few items under way, so this stays small however long the list is.
final class ListedNames: Sendable {
    /// Names of items under way, and of rows that repeat an item.
    private static let most = 100_000

    private struct State {
        var seen = SeenItems()
        var pictures: [Item: ListedPicture] = [:]
        var repeats: [Item: [ListedPicture]] = [:]
        var repeated = 0
    }

    private let state = Mutex(State())

    func note(_ picture: ListedPicture, as item: Item) {
        state.withLock { state in
            let isNew = state.seen.insert(item)
            if isNew {
                if picture.id == nil, picture.title == nil { return }
                if state.pictures.count < Self.most { state.pictures[item] = picture }
            } else if state.repeated < Self.most {
                state.repeats[item, default: []].append(picture)
                state.repeated += 1
            }
        }
    }

    /// Returns the names in the first row of an item and forgets them.
    func take(_ item: Item) -> ListedPicture? {
        state.withLock { $0.pictures.removeValue(forKey: item) }
    }

    /// Returns the further rows of items that are listed more than once, by item.
    var repeats: [Item: [ListedPicture]] { state.withLock(\.repeats) }
}
