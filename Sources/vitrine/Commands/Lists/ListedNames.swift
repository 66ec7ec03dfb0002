import Catalog
import Synchronization

/// What a list calls its pictures, until they are written to a manifest. Thread-safe.
///
/// A run has few items under way, so this stays small however long the list is.
final class ListedNames: Sendable {
    /// Items that the run leaves out stay: those that are listed twice.
    private static let most = 100_000

    private let pictures = Mutex<[Item: ListedPicture]>([:])

    func note(_ picture: ListedPicture, as item: Item) {
        if picture.id == nil, picture.title == nil { return }
        pictures.withLock { if $0.count < Self.most { $0[item] = picture } }
    }

    /// Returns the names of an item and forgets them.
    func take(_ item: Item) -> ListedPicture? {
        pictures.withLock { $0.removeValue(forKey: item) }
    }
}
