import HTTPTypes

/// What keeps browsers from doing with an answer what it isn't for. A field that is there already
/// stays: a page has a policy of its own.
enum SecurityFields {
    /// For everything that is no page: nothing in it may load, run or be framed. An SVG original is
    /// among it.
    private static let policy = "default-src 'none'; frame-ancestors 'none'; sandbox"

    private static let all = [
        HTTPField(name: .xContentTypeOptions, value: "nosniff"),
        HTTPField(name: .contentSecurityPolicy, value: policy),
        HTTPField(name: .referrerPolicy, value: "no-referrer"),
        HTTPField(name: .xFrameOptions, value: "DENY"),
    ]

    static func add(to fields: inout HTTPFields) {
        for field in all where fields[field.name] == nil { fields.append(field) }
    }
}

extension HTTPField.Name {
    static let referrerPolicy = constant("Referrer-Policy")
    static let xFrameOptions = constant("X-Frame-Options")
}
