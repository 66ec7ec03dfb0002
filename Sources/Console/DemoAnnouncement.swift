import FoundationEssentials

/// What `vitrine-demo` says of itself once it listens.
package struct DemoAnnouncement: Sendable, Decodable {
    /// Values of `--connect-to`.
    package let connectTo: [String]
    /// Value of `--allow-network`.
    package let allowNetwork: String
    /// Names of the real services that it plays.
    package let hosts: [String]
    /// A certificate that vouches for them, as PEM.
    package let certificateAuthorityPEM: String
    package let credentials: Credentials
    /// What a demo warms, in this order.
    package let sources: [Source]

    package struct Credentials: Sendable, Decodable {
        package let spotifyClientID: String
        package let spotifyClientSecret: String
        package let tmdbToken: String
    }

    /// One catalog, and what must come of it.
    package struct Source: Sendable, Decodable {
        package let source: String
        package let list: String
        package let words: [String]
        package let pages: String?
        package let limit: Int?
        /// What it is, for people: `invented shows`.
        package let contents: String
        /// An item with a picture.
        package let example: String
        package let expected: Expected
    }

    /// To the item, with every level wanted; other items fail.
    package struct Expected: Sendable, Decodable {
        package let items: Int
        /// Items without a usable picture.
        package let placeholders: Int
    }
}
