import Pipeline

extension ConfigurationKey {
    static let freshness: [Self] = [
        .single(
            "freshness.originalDefault", \.pipeline.freshness.originalDefault,
            .seconds(.zero...year),
            "Freshness of an original whose origin sent no Cache-Control."),
        .single(
            "freshness.originalMin", \.pipeline.freshness.originalMin, .seconds(.zero...year),
            "Lower bound of the freshness that an origin's Cache-Control sets. A picture "
                + "is not refreshed sooner."),
        .single(
            "freshness.originalMax", \.pipeline.freshness.originalMax, .seconds(.zero...year),
            "Upper bound of the freshness that an origin's Cache-Control sets."),
        .single(
            "freshness.absent", \.pipeline.freshness.absent, .seconds(.zero...year),
            "How long \"no picture\" is remembered."),
        .single(
            "freshness.unavailable", \.pipeline.freshness.unavailable, .seconds(.zero...day),
            "How long a failure of the origin is remembered before it is tried again."),
        .single(
            "freshness.rejected", \.pipeline.freshness.rejected, .seconds(.zero...year),
            "How long an original that is not a picture, is broken or exceeds a limit is "
                + "remembered."),
    ]
}
