import Catalog
import Hashing
import Store

/// The blocks in force, as they are looked up. Pure.
struct BlockList: Sendable {
    private var items: [String: BlockRecord] = [:]
    private var urls: [String: BlockRecord] = [:]
    private var digests: [Digest: BlockRecord] = [:]
    /// Few, so each is compared.
    private var prefixes: [(text: String, block: BlockRecord)] = []

    var isEmpty: Bool {
        items.isEmpty && urls.isEmpty && digests.isEmpty && prefixes.isEmpty
    }

    init(_ records: [BlockRecord]) {
        for record in records where !record.isLifted {
            switch BlockTarget(text: record.target) {
            case .item(let item)?: items[item.description] = record
            case .url(let url)?: urls[url] = record
            case .digest(let digest)?: digests[digest] = record
            case .prefix(let prefix)?: prefixes.append((prefix, record))
            // Of a later version.
            case nil: break
            }
        }
    }

    /// Returns the block of an item's name, or of the URL that it stands for.
    func block(of item: Item) -> BlockRecord? {
        if isEmpty { return nil }
        let name = item.description
        if let block = items[name] { return block }
        if let block = prefixes.first(where: { name.hasPrefix($0.text) })?.block { return block }
        return SignedURL.shownURL(of: item).flatMap(block(ofURL:))
    }

    func block(ofURL url: String) -> BlockRecord? {
        if urls.isEmpty { return nil }
        if let block = urls[url] { return block }
        // What has no normal form is never fetched.
        guard let normal = try? NormalURL(url) else { return nil }
        return urls[normal.text]
    }

    func block(of digest: Digest) -> BlockRecord? { digests[digest] }
}
