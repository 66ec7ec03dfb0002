import Synchronization

/// The museum's links to later pages, which are followed unchanged. Thread-safe.
///
/// After a restart a page's link is unknown. The page is then requested by its parameters, which
/// mean the same.
final class MuseumPageLinks: Sendable {
    private let links = Mutex<(known: [ListQuery: String], order: [ListQuery])>(([:], []))

    /// Limit of stored links; the oldest is evicted first. Each leads to a page of a hundred
    /// objects.
    private static let atMost = 1_000

    func link(to query: ListQuery) -> String? { links.withLock { $0.known[query] } }

    func note(_ link: String, to query: ListQuery) {
        links.withLock { links in
            if links.known.updateValue(link, forKey: query) == nil { links.order.append(query) }
            if links.order.count > Self.atMost { links.known[links.order.removeFirst()] = nil }
        }
    }
}
