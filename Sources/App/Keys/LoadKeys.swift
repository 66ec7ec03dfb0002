import Pipeline

extension ConfigurationKey {
    static let load: [Self] = [
        .single(
            "load.misses", \.pipeline.load.misses, .integer(1...10_000),
            "Cache misses processed at the same time."
        ).formerly("load.walks")
    ]
}
