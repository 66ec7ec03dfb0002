import FoundationEssentials

/// What `vitrine-demo` says of itself once it listens.
struct DemoAnnouncement: Sendable, Decodable {
    /// Values of `--connect-to`.
    let connectTo: [String]
    /// Value of `--allow-network`.
    let allowNetwork: String
    /// Names of the real services that it plays.
    let hosts: [String]
    /// A certificate that vouches for them, as PEM.
    let certificateAuthorityPEM: String
    let credentials: Credentials
    /// What a demo warms, in this order.
    let sources: [Source]

    struct Credentials: Sendable, Decodable {
        let spotifyClientID: String
        let spotifyClientSecret: String
        let tmdbToken: String
    }

    /// One catalog, and what must come of it.
    struct Source: Sendable, Decodable {
        let source: String
        let list: String
        let words: [String]
        let pages: String?
        let limit: Int?
        /// What it is, for people: `invented shows`.
        let contents: String
        /// An item with a picture.
        let example: String
        let expected: Expected
    }

    /// To the item, with every level wanted; other items fail.
    struct Expected: Sendable, Decodable {
        let items: Int
        /// Items without a usable picture.
        let placeholders: Int
    }
}
