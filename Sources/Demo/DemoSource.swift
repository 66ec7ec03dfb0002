/// One catalogue as a demo warms it, and what must come of it.
package struct DemoSource: Sendable, Equatable, Encodable {
    /// Name of the source, `itunes`.
    package let source: String
    /// Name of the list, as on the command line.
    package let list: String
    /// What is searched for, or whose list it is.
    package var words: [String] = []
    package var pages: String?
    package var limit: Int?
    /// What it is, for people: `invented shows`.
    package let contents: String
    /// An item with a picture, `itunes/album/1400000000`.
    package let example: String
    package let expected: Expected

    /// To the item, with every level wanted; other items fail.
    package struct Expected: Sendable, Equatable, Encodable {
        package var items = 0
        /// Items without a usable picture.
        package var placeholders = 0
        /// Items whose picture isn't the first choice.
        package var fallbacks = 0
    }

    /// Counts what becomes of each item: `nil` is a picture at the first attempt.
    static func expected<Item>(
        _ items: some Sequence<Item>, _ ending: (Item) -> Ending?
    ) -> Expected {
        items.reduce(into: Expected()) { expected, item in
            expected.items += 1
            switch ending(item) {
            case .placeholder: expected.placeholders += 1
            case .fallback: expected.fallbacks += 1
            case nil: break
            }
        }
    }

    enum Ending: Sendable { case placeholder, fallback }
}
