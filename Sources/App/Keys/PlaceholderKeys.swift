import Imaging

extension ConfigurationKey {
    static let placeholder: [Self] = [
        .single(
            "placeholder.status", \.placeholder.status, .choice,
            "Status sent with a placeholder: natural is the true one (404, 415, 502, 504), 200 is "
                + "for clients that show no picture otherwise."),
        .single(
            "placeholder.file", \.placeholder.file, .optional(.text("the path of a picture")),
            "Picture shown where there is none, in any format that is read; without one, it is "
                + "drawn."),
        .single(
            "placeholder.background", \.imaging.placeholder.background, .colour,
            "Background of the drawn one."),
        .single(
            "placeholder.foreground", \.imaging.placeholder.foreground, .colour,
            "Lines of the drawn one."),
    ]

    static let sheet: [Self] = [
        .single(
            "sheet.maxPixels", \.imaging.sheet.maxPixels, .integer(10_000...268_000_000),
            "Pixels of a contact sheet; 16 million hold 250 thumbnails of 160x240, and take 48 MB "
                + "of memory while they are drawn."),
        .single(
            "sheet.background", \.imaging.sheet.background, .colour,
            "Behind and between the pictures of a contact sheet."),
    ]
}
