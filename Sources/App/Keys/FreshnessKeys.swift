extension ConfigurationKey {
    static let freshness: [Self] = [
        .single(
            "freshness.originalDefault", \.freshness.originalDefault, .duration(.zero...year),
            "Life of an original whose origin sent no Cache-Control."),
        .single(
            "freshness.originalMin", \.freshness.originalMin, .duration(.zero...year),
            "Shortest life that an origin's Cache-Control can give; a picture is not asked for again "
                + "sooner."),
        .single(
            "freshness.originalMax", \.freshness.originalMax, .duration(.zero...year),
            "Longest life that an origin's Cache-Control can give."),
        .single(
            "freshness.absent", \.freshness.absent, .duration(.zero...year),
            "How long it counts that the source has no picture."),
        .single(
            "freshness.unavailable", \.freshness.unavailable, .duration(.zero...day),
            "How long an origin that could not be reached, or failed, is left alone."),
        .single(
            "freshness.rejected", \.freshness.rejected, .duration(.zero...year),
            "How long an original that was no picture, broken or over a limit is not tried again."),
        .single(
            "freshness.staleWhileRevalidate", \.freshness.staleWhileRevalidate,
            .duration(.zero...year),
            "How long past its life clients may show a picture while they ask again (RFC 5861)."),
        .single(
            "freshness.staleIfError", \.freshness.staleIfError, .duration(.zero...year),
            "How long past its life clients may show a picture while the service fails (RFC 5861)."),
    ]
}
