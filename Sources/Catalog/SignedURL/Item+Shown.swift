import Hashing

extension Item {
    /// The item for logs, traces and messages. An item of a signed URL is named by the URL's host and
    /// the first 12 digits of its SHA-256, because the URL may hold secrets:
    /// `url/image/example.org#0a1b2c3d4e5f`.
    package var shown: String {
        guard source == SignedURL.name || kind == ListSource.urlKind else { return description }
        let bytes = Base64URL.decode(id) ?? Array(id.utf8)
        let digest = Hex.text(SHA256.digest(of: bytes).prefix(6))
        return "\(source)/\(kind)/\(SignedURL.host(of: self) ?? "")#\(digest)"
    }
}

extension SignedURL {
    /// Returns the URL of an item of this source; nil for items of other sources.
    package static func url(of item: Item) -> String? {
        item.source == name ? url(ofID: item.id) : nil
    }

    /// Returns the URL that an item stands for: one of this source, or the name under which the picture of a
    /// list's row is kept. Nil for other items.
    package static func shownURL(of item: Item) -> String? {
        item.source == name || item.kind == ListSource.urlKind ? url(ofID: item.id) : nil
    }

    /// Returns the URL of an item's id.
    static func url(ofID id: String) -> String? {
        Base64URL.decode(id).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The host of an item's URL, without user-info and port; `nil` for items that are not named by one.
    package static func host(of item: Item) -> String? {
        guard item.source == name || item.kind == ListSource.urlKind,
            let url = url(ofID: item.id), let start = url.schemeMark?.upperBound
        else { return nil }
        let authority = url[start...].prefix { !"/?#\\".contains($0) }
        let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        // The colons of an IPv6 address are in brackets.
        let end = place.hasPrefix("[") ? place.firstIndex(of: "]") : place.firstIndex(of: ":")
        let host = end.map { place[$0] == "]" ? place[...$0] : place[..<$0] } ?? place
        return host.lowercased()
    }
}
