import Pipeline

extension ConfigurationKey {
    static let load: [Self] = [
        .single(
            "load.misses", \.load.misses, .integer(1...10_000),
            "Cache misses processed at the same time."
        ).formerly("load.walks"),
        .single(
            "load.waitingMisses", \.load.waitingMisses, .integer(0...1_000_000),
            "Misses that wait for their host or for a place under load.misses. When this queue is "
                + "full, the source and client with most waiting are refused with 503 and "
                + "Retry-After."
        ).formerly("load.waitingWalks"),
        .single(
            "load.waitingRequests", \.load.waitingRequests, .integer(1...10_000_000),
            "Requests that wait for pictures, however many want the same."),
        .single(
            "load.lookups", \.load.lookups, .integer(1...10_000),
            "Catalogue pages and items that requests have looked up at once."),
        .single(
            "load.waitingLookups", \.load.waitingLookups, .integer(0...1_000_000),
            "Those that wait for that. When it is full, the source and client with most of them "
                + "waiting are refused with 503 and Retry-After."),
    ]
}
