import Catalog
import Pipeline
import Synchronization

/// What a list calls its pictures, until they are written to a manifest. Thread-safe.
///
/// A run has few items under way, so this stays small however long the list is. Only rows that repeat an
/// item, or can't be read, stay until the end.
final class ListedNames: Sendable {
    /// Names of items that were read from the list and did not end. More are not read ahead.
    private static let most = 200_000

    /// A row that is not the first one of an item.
    struct FurtherRow: Equatable {
        enum Content: Equatable {
            /// It repeats the item of that number.
            case repeated(Int, id: String?, title: String?)
            case unreadable(BadLine)
        }

        /// The number of the last new item before it; -1 before the first one.
        var after: Int
        var content: Content
    }

    private struct State {
        var seen = SeenItems()
        /// The number of the newest item.
        var newest = -1
        var pictures: [Item: ListedPicture] = [:]
        var further: [FurtherRow] = []
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
                state.further.append(
                    FurtherRow(
                        after: state.newest,
                        content: .repeated(number, id: picture.id, title: picture.title)))
                return
            }
            state.newest = number
            if !isKept || picture.id == nil && picture.title == nil { return }
            if state.pictures.count < Self.most { state.pictures[item] = picture }
        }
    }

    /// Takes a line that can't be read.
    func note(_ line: BadLine) {
        if !isKept { return }
        state.withLock {
            $0.further.append(FurtherRow(after: $0.newest, content: .unreadable(line)))
        }
    }

    /// Returns the names in the first row of an item and forgets them.
    func take(_ item: Item) -> ListedPicture? {
        state.withLock { $0.pictures.removeValue(forKey: item) }
    }

    /// Returns the rows that are not the first ones of items, in their order.
    var further: [FurtherRow] { state.withLock(\.further) }
}

extension ListedNames {
    /// Takes the rows of a list of the settings, whose run reads them by the list's index. That has no lines that
    /// can't be read.
    ///
    /// - Parameter limit: of its items.
    func noteRows(of source: ListSource, limit: Int?) async throws {
        let reading = try await ListReading(
            source.file.path, source.file.definition.columns, takesPaths: false, nil)
        while let rows = try await reading.rows() {
            for row in rows {
                switch row {
                case .success(let picture):
                    if counts.items >= limit ?? .max { return }
                    // Its id is the item's.
                    let bare = ListedPicture(line: picture.line, place: picture.place)
                    note(bare, as: source.item(of: picture))
                case .failure(let line): note(line)
                }
            }
        }
    }
}
