import Pipeline

extension ConfigurationKey {
    static let iiif: [Self] = [
        .single(
            "iiif.maxPixels", \.zoom.maxPixels, .integer(1_000_000...100_000_000),
            "Pixels of one IIIF response, which info.json names as maxArea. Larger parts are "
                + "shown as tiles."),
        .single(
            "iiif.maxUpscale", \.zoom.maxUpscale, .integer(1...8),
            "How many times larger than its region a picture may become, if a client asks for "
                + "that with ^; 1 is never larger."),
        .single(
            "iiif.pixelsPerMinute", \.zoom.pixelsPerMinute,
            .integer(10_000_000...1_000_000_000_000),
            "Pixels per minute and picture that are resampled for other parts than tiles. "
                + "Further requests for new parts get 429 and Retry-After."),
        .single(
            "iiif.waiting", \.zoom.waiting, .integer(0...100_000),
            "Parts that wait for a render thread. Further requests get 503 and Retry-After."),
    ]
}
