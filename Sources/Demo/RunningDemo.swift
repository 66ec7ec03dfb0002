/// How to reach a running demo origin under the names of the real services, and what it shows: as
/// `vitrine-demo` prints it on one line of JSON.
package struct RunningDemo: Sendable, Equatable, Encodable {
    /// On 127.0.0.1.
    package let port: Int
    /// Names of the real services that it plays.
    package let hosts: [String]
    /// To be written to the file that `--ca-file` names.
    package let certificateAuthorityPEM: String
    /// Values of `--connect-to`, one for each host.
    package let connectTo: [String]
    /// Value of `--allow-network`.
    package let allowNetwork: String
    /// What the catalogs demand that let no caller in without.
    package let credentials: DemoCredentials
    /// What a demo warms, in this order.
    package let sources: [DemoSource]
}

/// One list of a catalog as a demo warms it, and what must come of it.
package struct DemoSource: Sendable, Equatable, Encodable {
    /// Name of the source, `itunes`.
    package let source: String
    /// Name of the list, as on the command line.
    package let list: String
    /// A search term, or the id of an artist.
    package var words: [String] = []
    package var pages: String?
    package var limit: Int?
    /// What it is, for people: `invented shows`.
    package let contents: String
    /// An item with a picture, `itunes/album/1400000000`.
    package let example: String
    package let expected: Expected

    /// Exact with every level wanted and no other item failing.
    package struct Expected: Sendable, Equatable, Encodable {
        package var items = 0
        /// Items without a usable picture.
        package var placeholders = 0
        /// Items whose picture isn't the first choice.
        package var fallbacks = 0
    }

    /// Returns nil if each of the items has a quirk, so that none can be the example.
    init?<Item>(
        _ source: String, _ list: String, words: [String] = [], pages: String? = nil,
        limit: Int? = nil, contents: String, of items: some Sequence<Item>,
        id: (Item) -> String, quirk: (Item) -> Quirk?
    ) {
        let items = Array(items)
        guard let example = items.first(where: { quirk($0) == nil }) else { return nil }
        self.source = source
        self.list = list
        self.words = words
        self.pages = pages
        self.limit = limit
        self.contents = contents
        self.example = "\(source)/\(id(example))"
        let endings = items.map { quirk($0)?.ending }
        expected = Expected(
            items: items.count, placeholders: endings.count { $0 == .placeholder },
            fallbacks: endings.count { $0 == .fallback })
    }
}
