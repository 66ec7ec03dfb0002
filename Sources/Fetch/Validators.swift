/// The validators with which a client asks later whether a representation changed (RFC 9110,
/// section 8.8).
package struct Validators: Sendable, Equatable, Codable {
    /// The whole field value, quotes and `W/` included.
    package var entityTag: String?
    /// The whole field value, as the origin wrote it.
    package var lastModified: String?

    /// Longer values are not kept, because each would be stored and sent with every request. Common ones have
    /// under 100 bytes.
    private static let maxBytes = 1_024

    package init(entityTag: String?, lastModified: String?) {
        self.entityTag = entityTag.flatMap(Self.kept)
        self.lastModified = lastModified.flatMap(Self.kept)
    }

    private static func kept(_ value: String) -> String? {
        value.utf8.count <= maxBytes ? value : nil
    }

    package var isEmpty: Bool { entityTag == nil && lastModified == nil }
}
