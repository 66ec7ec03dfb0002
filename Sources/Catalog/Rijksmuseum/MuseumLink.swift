import Fetch

/// The id of one of the museum's records, which is also its URL: `https://id.rijksmuseum.nl/…`.
struct MuseumLink: Sendable, Hashable, CustomStringConvertible {
    static let recordHost = HostPattern("id.rijksmuseum.nl")
    static let searchHost = HostPattern("data.rijksmuseum.nl")
    /// The id host may redirect (303) to the search host.
    static let recordHosts = [recordHost, searchHost]

    /// The canonical number: digits without leading zeros.
    let number: String

    /// Returns `nil` if the link leads to another host or not to a record.
    init?(_ link: String) {
        guard let url = CheckedURL(link, hosts: Self.recordHosts),
            let slash = url.text.lastIndex(of: "/"),
            url.text[...slash] == "https://\(url.host)/"
        else { return nil }
        self.init(number: String(url.text[url.text.index(after: slash)...]))
    }

    /// Returns `nil` if the text is not a number. DigitalObjects have 22 digits.
    init?(number: String) {
        guard let number = number.itemNumber(atMostDigits: 30) else { return nil }
        self.number = number
    }

    var url: String { "https://\(Self.recordHost)/\(number)" }
    var description: String { number }

    static let source = "rijksmuseum"
    static let kind = "object"

    /// The item of the object that this record describes.
    var item: Item { Item(source: Self.source, kind: Self.kind, id: number) }
}
