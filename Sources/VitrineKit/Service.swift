/// What a service offers: `GET /v1`.
public struct ServiceDescription: Codable, Sendable, Hashable {
    public var levels: [Level]
    /// Names of formats that a path may end with: `jpg`, `webp`, `avif`, `png`.
    public var formats: [String]
    public var sources: [Source]

    /// A catalog, a folder or a list.
    public struct Source: Codable, Sendable, Hashable, Identifiable {
        /// First part of its items' names, such as `tvmaze`.
        public var name: String
        /// For people.
        public var title: String
        /// Kinds of items, such as `show` and `poster`.
        public var kinds: [Kind]
        public var lists: [List]
        /// What its operator has to set before it works; nil if it is complete.
        public var missing: String?

        public var id: String { name }
    }

    public struct Kind: Codable, Sendable, Hashable {
        public var name: String
        /// For people.
        public var title: String
    }

    public struct List: Codable, Sendable, Hashable {
        /// Path below the source, such as `shows`. `{id}` stands for an id of the source's first kind.
        public var name: String
        /// For people.
        public var title: String
        /// Path of its first page.
        public var url: String
        public var parameters: [String]
        /// Those that a request must have.
        public var required: [String]
        /// Parameters that leave out what doesn't match: `title`, `from`, `to`, `genre`.
        public var filters: [String]
        /// The parameter that takes search words; nil if the list can't be searched.
        public var search: String?
    }
}
