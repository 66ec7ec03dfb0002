import Hashing

/// The parameters of a search in the museum's collection, and their URL.
struct MuseumSearch: Sendable, Equatable {
    /// The museum's names, in the order in which they are sent.
    static let parameters = [
        "title", "creator", "objectNumber", "creationDate", "type", "technique", "material",
    ]
    static let token = "pageToken"
    /// The part of the museum's page, from 0. Ours: the museum doesn't know it.
    static let part = "part"

    /// Validated parameters, without empty ones.
    let values: [String: String]

    init(_ given: [String: String]) throws(Failure) {
        let given = try Parameters(
            given, known: Self.parameters + [Self.token, Self.part],
            owner: "Rijksmuseum's list “objects”")
        var values: [String: String] = [:]
        for name in Self.parameters {
            // The museum matches whole words, so fewer than three letters find nothing useful.
            let least = name == "title" || name == "creator" ? 3 : 1
            values[name] = try given.text(name, atLeast: least)
        }
        values[Self.token] = try given.token(Self.token)
        partNumber = try given.integer(Self.part, in: 0...1_000, default: 0)
        if partNumber > 0 { values[Self.part] = "\(partNumber)" }
        self.values = values
    }

    let partNumber: Int

    var isFirstPage: Bool { values[Self.token] == nil }

    /// The URL of the search, limited to objects with a picture.
    var url: String {
        var pairs = Self.parameters.compactMap { name in values[name].map { (name, $0) } }
        pairs.append(("imageAvailable", "true"))
        if let token = values[Self.token] { pairs.append((Self.token, token)) }
        let query = pairs.map { "\($0.0)=\($0.1.percentEncoded)" }.joined(separator: "&")
        return "\(Self.address)?\(query)"
    }

    /// Returns the parameters in a link to another page, with its token unchanged; `nil` if it is
    /// not such a link.
    static func parameters(ofPage link: String) -> [String: String]? {
        guard let url = CheckedURL(link, hosts: [MuseumHosts.search]),
            url.text.hasPrefix(address + "?")
        else { return nil }
        var values: [String: String] = [:]
        for pair in url.text.dropFirst(address.count + 1).split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentCoding.decoded(halves[0], isForm: true),
                (parameters + [token]).contains(name)
            else { continue }
            guard
                let value = PercentCoding.decoded(halves.count > 1 ? halves[1] : "", isForm: true)
            else { return nil }
            values[name] = value
        }
        return values[token] == nil ? nil : values
    }

    private static let address = "https://\(MuseumHosts.search)/search/collection"
}
