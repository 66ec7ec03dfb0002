import Imaging

extension ConfigurationKey {
    static let placeholder: [Self] = [
        .single(
            "placeholder.status", \.placeholder.status, .choice,
            "Status sent with a placeholder: natural is the true status (404, 415, 502, "
                + "504); 200 is for clients that don't show a picture otherwise."
        ).reloaded(),
        .single(
            "placeholder.file", \.placeholder.file, .optional(.text("the path of a picture")),
            "Placeholder picture in any input format. Without one, it is drawn."
        ).reloaded(),
    ]
}
