package import Catalog
import Hashing
import Store

/// Names under which caches in front of the service know its responses, and purge them. Pure.
///
/// A name consists of letters, digits and `-._~/%`, because fields separate names with spaces or
/// commas.
package enum CacheTag {
    /// A header field that lists the names of a response.
    package enum Field: String, Sendable, CaseIterable {
        /// Separated by spaces: Fastly, and Varnish by its example.
        case surrogateKey = "Surrogate-Key"
        /// Separated by commas: Cloudflare and others.
        case cacheTag = "Cache-Tag"

        package var separator: String {
            switch self {
            case .surrogateKey: " "
            case .cacheTag: ","
            }
        }
    }

    /// The name of all responses.
    package static let all = "vitrine"
    /// Bytes of a name. A longer one ends with a digest instead of an id.
    private static let longest = 120
    /// Bytes of all names of items in one response. With more, heads would not fit into the buffers
    /// of common proxies, 4 KiB.
    private static let mostBytes = 2_000

    package static func of(_ item: Item) -> String {
        let kind = "\(encoded(item.source))/\(encoded(item.kind))"
        let id = encoded(item.id)
        // A signed URL may hold secrets.
        guard item.source == SignedURL.name || kind.utf8.count + id.utf8.count >= longest else {
            return "\(kind)/\(id)"
        }
        return "\(kind)/~\(Digest(of: Array(item.id.utf8)).hex.prefix(32))"
    }

    /// The name of responses that show more items of a source than they can name.
    package static func lists(of source: String) -> String { "\(encoded(source))/lists" }

    /// Returns the names of a response that shows one item.
    package static func names(of item: Item) -> [String] { [all, encoded(item.source), of(item)] }

    /// Returns the names of a response that shows these items of the sources, or may show others of
    /// theirs at another time.
    package static func names(of items: [Item], sources: [String]) -> [String] {
        let sources = Set(sources + items.map(\.source)).sorted()
        let own = [all] + sources.map(encoded)
        let names = Set(items.map(of)).sorted()
        guard names.reduce(0, { $0 + $1.utf8.count + 1 }) <= mostBytes else {
            return own + sources.map(lists)
        }
        return own + names
    }

    /// Returns the names of what a purge concerns.
    ///
    /// - Parameter items: descriptions of the items whose pictures were purged.
    package static func purged(_ scope: PurgeScope, _ items: Set<String>) -> [String] {
        var items = items
        var names: [String] = []
        switch scope {
        case .all: return [all]
        case .source(let name):
            names = [encoded(name)]
            // Others had the same picture.
            items = items.filter { !$0.hasPrefix("\(name)/") }
        case .item(let item): items.insert("\(item)")
        }
        let known = items.sorted().compactMap { Item($0) }
        return names + known.map(of) + Set(known.map { lists(of: $0.source) }).sorted()
    }

    private static func encoded(_ text: String) -> String {
        PercentCoding.encoded(text, keeping: "/")
    }
}

/// Tells caches in front of the service what was purged.
package protocol PurgeHook: Sendable {
    /// Notes what caches should drop, and returns at once.
    ///
    /// - Parameters:
    ///   - tags: names of ``CacheTag``.
    ///   - soft: whether they may show it until they have fetched it again.
    func purged(_ tags: [String], soft: Bool)
}
