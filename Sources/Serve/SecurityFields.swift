import HTTPTypes

/// Headers that stop browsers from sniffing, framing or executing a response.
///
/// Fields that are already present stay, because the gallery page has its own policy.
enum SecurityFields {
    /// The policy of every response except the page: it may not load, run or be framed. This covers
    /// SVG originals.
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
