extension ConfigurationKey {
    static let freshness: [Self] = [
        .single(
            "freshness.originalDefault", \.freshness.originalDefault, .duration(.zero...year),
            "Freshness of an original whose origin sent no Cache-Control."),
        .single(
            "freshness.originalMin", \.freshness.originalMin, .duration(.zero...year),
            "Lower bound of the freshness that an origin's Cache-Control sets. A picture "
                + "is not refreshed sooner."),
        .single(
            "freshness.originalMax", \.freshness.originalMax, .duration(.zero...year),
            "Upper bound of the freshness that an origin's Cache-Control sets."),
        .single(
            "freshness.absent", \.freshness.absent, .duration(.zero...year),
            "How long \"no picture\" is remembered."),
        .single(
            "freshness.unavailable", \.freshness.unavailable, .duration(.zero...day),
            "How long a failure of the origin is remembered before it is tried again."),
        .single(
            "freshness.rejected", \.freshness.rejected, .duration(.zero...year),
            "How long an original that is not a picture, is broken or exceeds a limit is "
                + "remembered."),
        .single(
            "freshness.staleWhileRevalidate", \.freshness.staleWhileRevalidate,
            .duration(.zero...year),
            "How long clients may show a stale picture while they revalidate it (RFC "
                + "5861)."),
        .single(
            "freshness.staleIfError", \.freshness.staleIfError, .duration(.zero...year),
            "How long clients may show a stale picture while the service fails (RFC 5861)."),
    ]
}
