/// The id of one of the museum's records, which is where it is read: `https://id.rijksmuseum.nl/…`.
struct MuseumLink: Sendable, Hashable, CustomStringConvertible {
    /// Canonical: digits without leading zeros.
    let number: String

    /// `nil` where the link leads elsewhere: to another host, or to no record.
    init?(_ link: String) {
        guard let url = CheckedURL(link, hosts: Rijksmuseum.recordHosts),
            let slash = url.text.lastIndex(of: "/"),
            url.text[...slash] == "https://\(url.host)/"
        else { return nil }
        self.init(number: String(url.text[url.text.index(after: slash)...]))
    }

    /// `nil` where the text is no number. DigitalObjects have 22 digits.
    init?(number: String) {
        guard let number = number.itemNumber(atMostDigits: 30) else { return nil }
        self.number = number
    }

    var url: String { "https://\(Rijksmuseum.recordHost)/\(number)" }
    var description: String { number }
}
