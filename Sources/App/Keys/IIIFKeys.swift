import Pipeline

extension ConfigurationKey {
    static let iiif: [Self] = [
        .single(
            "iiif.maxPixels", \.pipeline.zoom.maxPixels, .integer(1_000_000...100_000_000),
            "Pixels of one IIIF response, which info.json names as maxArea. Larger parts are "
                + "shown as tiles."),
        .single(
            "iiif.maxUpscale", \.pipeline.zoom.maxUpscale, .integer(1...8),
            "How many times larger than its region a picture may become, if a client asks for "
                + "that with ^; 1 is never larger."),
    ]
}
