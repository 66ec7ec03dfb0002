import Synchronization

/// The museum's links to later pages, to be followed to the letter. A page whose link is not known,
/// after a restart, is asked for by its parameters, which mean the same.
final class MuseumPageLinks: Sendable {
    private let links = Mutex<(known: [ListQuery: String], order: [ListQuery])>(([:], []))

    /// Links kept; the oldest goes first. Each leads to a page of a hundred objects.
    private static let atMost = 1_000

    func link(to query: ListQuery) -> String? { links.withLock { $0.known[query] } }

    func note(_ link: String, to query: ListQuery) {
        links.withLock { links in
            if links.known.updateValue(link, forKey: query) == nil { links.order.append(query) }
            if links.order.count > Self.atMost { links.known[links.order.removeFirst()] = nil }
        }
    }
}
