import Catalog
import Pipeline
import Synchronization

/// What a list calls its pictures, until they are written to a manifest. Thread-safe.
///
/// A run has few items under way, so this stays small however long the list is. Only rows that repeat an
/// item stay until the end.
final class ListedNames: Sendable {
    /// Names of items that were read from the list and did not end. More are not read ahead.
    private static let most = 200_000

    /// A row that repeats an item.
    struct Repeat: Equatable {
        /// The number of the last new item before it.
        var after: Int
        /// The number of its item.
        var number: Int
        var id: String?
        var title: String?
    }

    private struct State {
        var seen = SeenItems()
        /// The number of the newest item.
        var newest = -1
        var pictures: [Item: ListedPicture] = [:]
        var repeats: [Repeat] = []
        var repeated = 0
    }

    private let state = Mutex(State())
    private let isKept: Bool

    /// - Parameter isKept: whether names are taken later. Otherwise rows are only counted.
    init(isKept: Bool = true) { self.isKept = isKept }

    /// Items, and rows that repeat one.
    var counts: (items: Int, repeats: Int) {
        state.withLock { ($0.newest + 1, $0.repeated) }
    }

    func note(_ picture: ListedPicture, as item: Item) {
        state.withLock { state in
            let (number, isNew) = state.seen.number(item)
            guard isNew else {
                state.repeated += 1
                if !isKept { return }
                state.repeats.append(
                    Repeat(
                        after: state.newest, number: number, id: picture.id, title: picture.title))
                return
            }
            state.newest = number
            if !isKept || picture.id == nil && picture.title == nil { return }
            if state.pictures.count < Self.most { state.pictures[item] = picture }
        }
    }

    /// Returns the names in the first row of an item and forgets them.
    func take(_ item: Item) -> ListedPicture? {
        state.withLock { $0.pictures.removeValue(forKey: item) }
    }

    /// Returns the further rows of items that are listed more than once, in their order.
    var repeats: [Repeat] { state.withLock(\.repeats) }
}
