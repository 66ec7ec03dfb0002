import Hashing
import JSON

/// A search in the museum's collection: its URL, and the page of ids that answers it.
struct MuseumSearch {
    let total: Int?
    /// Link to the next page, as given.
    let next: String?
    /// The objects in the page's order, without duplicates.
    let objects: [MuseumLink]

    /// The museum's names, in the order in which they are sent.
    private static let names = [
        "title", "creator", "objectNumber", "creationDate", "type", "technique", "material",
    ]
    static let token = "pageToken"
    /// The part of the museum's page, from 0. Ours: the museum doesn't know it.
    static let part = "part"

    static let list = ListDescription(
        "objects", title: "Artworks",
        names.map { name in
            // The museum matches whole words, so fewer than three letters find nothing useful.
            ListParameter(name, .words(atLeast: ["title", "creator"].contains(name) ? 3 : 1))
        } + [ListParameter(token, .token), ListParameter(part, .part(0...1_000))],
        tabTitle: "all")

    /// Returns the URL of a search, limited to objects with a picture.
    static func url(_ values: [String: String]) -> String {
        var pairs = names.compactMap { name in values[name].map { (name, $0) } }
        pairs.append(("imageAvailable", "true"))
        if let token = values[token] { pairs.append((Self.token, token)) }
        let query = pairs.map { "\($0.0)=\($0.1.percentEncoded)" }.joined(separator: "&")
        return "\(address)?\(query)"
    }

    /// Returns the parameters in a link to another page, with its token unchanged; `nil` if it is
    /// not such a link.
    static func parameters(ofPage link: String) -> [String: String]? {
        guard let url = CheckedURL(link, hosts: [MuseumLink.searchHost]),
            url.text.hasPrefix(address + "?")
        else { return nil }
        var values: [String: String] = [:]
        for pair in url.text.dropFirst(address.count + 1).split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentCoding.decoded(halves[0], isForm: true),
                (names + [token]).contains(name)
            else { continue }
            guard
                let value = PercentCoding.decoded(halves.count > 1 ? halves[1] : "", isForm: true)
            else { return nil }
            values[name] = value
        }
        return values[token] == nil ? nil : values
    }

    private static let address = "https://\(MuseumLink.searchHost)/search/collection"

    /// What is kept of an answer.
    static let kept = MuseumRecords.part(
        ["id", "type", "partOf", "next", "orderedItems"], anyOf: ["orderedItems"])

    /// Returns nil for what is not a page. A search without results has an empty list.
    init?(_ document: JSON) {
        guard let record = document.record,
            record.member("orderedItems") != nil || record.types.contains("OrderedCollectionPage")
        else { return nil }
        total = record["partOf"].nodes.lazy.compactMap(\.["totalItems"].count).first
        next = record["next"].ids.first
        var seen: Set<MuseumLink> = []
        objects = record["orderedItems"].links.filter { seen.insert($0).inserted }
    }
}
