import Catalog
import Serve

extension ConfigurationKey {
    static let placeholder: [Self] = [
        .single(
            "placeholder.status", \.server.placeholderStatus, .placeholderStatus,
            "Status sent with a placeholder: natural is the true status (404, 415, 502, "
                + "504); 200 is for clients that don't show a picture otherwise."
        ).reloaded(),
        .single(
            "placeholder.file", \.placeholderFile, .optional(.text("the path of a picture")),
            "Placeholder picture in any input format. Without one, it is drawn."
        ).reloaded(),
    ]
}

extension ValueSyntax where Value == Int? {
    /// `natural` for the true status, or `200`.
    fileprivate static var placeholderStatus: Self {
        let statuses: KeyValuePairs<String, Int?> = ["natural": nil, "200": 200]
        return Self(
            expected: statuses.map(\.key).listed(by: "or"),
            parse: { text in statuses.first { $0.key == text }?.value },
            print: { status in statuses.first { $0.value == status }?.key ?? "natural" })
    }
}
