import Pipeline

extension ConfigurationKey {
    static let load: [Self] = [
        .single(
            "load.misses", \.load.misses, .integer(1...10_000),
            "Cache misses processed at the same time."
        ).formerly("load.walks"),
        .single(
            "load.waitingMisses", \.load.waitingMisses, .integer(0...1_000_000),
            "Misses that wait for their host or for a place under load.misses. When this "
                + "queue is full, the source and client with most waiting get 503 and "
                + "Retry-After."
        ).formerly("load.waitingWalks"),
        .single(
            "load.waitingRequests", \.load.waitingRequests, .integer(1...10_000_000),
            "Requests that wait for pictures, including those for the same picture."),
        .single(
            "load.lookups", \.load.lookups, .integer(1...10_000),
            "Catalog pages and items looked up at the same time."),
        .single(
            "load.waitingLookups", \.load.waitingLookups, .integer(0...1_000_000),
            "Look-ups that wait for a place under load.lookups. When this queue is full, "
                + "the source and client with most waiting get 503 and Retry-After."),
    ]
}
