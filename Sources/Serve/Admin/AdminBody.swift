/// The body of `POST /admin/warm`: items, URLs, a list of a source, or the failures of a run.
struct WarmBody: Decodable {
    var items: [String]?
    var urls: [String]?
    var source: String?
    var list: String?
    /// Ids of items, or the words that the list searches for.
    var what: [String]?
    /// The list's parameters, as in its URL: `{"page": "0"}`.
    var parameters: [String: String]?
    /// `0-3` or `5`.
    var pages: String?
    /// The id of an earlier run, whose failed items are repeated.
    var retry: String?
    /// If set, the run continues with the following pages, up to this many items.
    var limit: Int?
    /// `warm.levels` by default.
    var levels: [String]?
    /// `warm.formats` by default.
    var formats: [String]?
    /// Items under way at once.
    var concurrency: Int?
    /// Items begun per second.
    var rate: Double?
    var onlyMissing: Bool?
    /// `list`, `missing` or `stale`.
    var priority: String?
    var pin: Bool?
    var dryRun: Bool?

    static let members = [
        "items", "urls", "source", "list", "what", "parameters", "pages", "retry", "limit",
        "levels", "formats", "concurrency", "rate", "onlyMissing", "priority", "pin", "dryRun",
    ]
}

/// The body of `POST /admin/purge`: one of item, source and all.
struct PurgeBody: Decodable {
    var item: String?
    var source: String?
    var all: Bool?
    var soft: Bool?

    static let members = ["item", "source", "all", "soft"]
}
