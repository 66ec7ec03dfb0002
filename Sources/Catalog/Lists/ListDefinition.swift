import Hashing

/// A list of pictures that is shown like a catalog.
package struct ListDefinition: Sendable, Equatable {
    /// First part of its items' names.
    package var name: String
    /// Name for people.
    package var title: String
    /// The path of a file, or an http or https URL.
    package var place: String
    package var columns = ListColumns()
    /// Whose pictures these are.
    package var rights: String?
    /// Width and height of most pictures, for the gallery.
    package var shape = PictureBox(width: 2, height: 3)

    package init(name: String, title: String, place: String) {
        self.name = name
        self.title = title
        self.place = place
    }

    /// Whether the list is read from a server.
    var isRemote: Bool { place.contains("://") }

    /// The place for sentences, which clients may read: without what a URL may hold of secrets, and of a file
    /// its name alone.
    var shownPlace: String {
        isRemote
            ? SignedURL.place(of: place)
            : place.split(separator: "/").last.map(String.init) ?? place
    }
}

/// The ids of a list's items. Pure.
enum ListedID {
    /// Bytes of an id.
    static let longest = 200

    /// Returns an id in its one form: letters, digits and `-_,;:=+@!$'()*` stay, other bytes become `~` and two
    /// hexadecimal digits. A text that has this form already stays as it is.
    static func canonical(_ text: String) -> String? {
        if text.isEmpty { return nil }
        if isCanonical(text) { return text.utf8.count <= longest ? text : shortened(text) }
        var id = ""
        for byte in text.utf8 {
            if isPlain(byte) {
                id.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                id += "~\(Hex.text(CollectionOfOne(byte)).uppercased())"
            }
        }
        return id.utf8.count <= longest ? id : shortened(id)
    }

    /// Returns the id of a row without one: 16 digits of its URL's SHA-256.
    static func ofURL(_ url: String) -> String { digits(url) }

    private static func shortened(_ id: String) -> String {
        // Not within an escaped byte.
        let head = id.prefix(longest - 20)
        let cut = head.suffix(2).firstIndex(of: "~") ?? head.endIndex
        return "\(head[..<cut])~~\(digits(id))"
    }

    private static func digits(_ text: String) -> String {
        Hex.text(SHA256.digest(of: text.utf8).prefix(8))
    }

    private static func isCanonical(_ text: String) -> Bool {
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if isPlain(byte) { continue }
            guard byte == UInt8(ascii: "~") else { return false }
            // The end of a shortened id.
            if rest.first == UInt8(ascii: "~") {
                rest.removeFirst()
                continue
            }
            guard let high = rest.popFirst(), let low = rest.popFirst(), isDigit(high),
                isDigit(low)
            else { return false }
        }
        return true
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || UInt8(ascii: "A")...UInt8(ascii: "F") ~= byte
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: others.contains(byte)
        }
    }

    private static let others = Set("-_,;:=+@!$'()*".utf8)
}
