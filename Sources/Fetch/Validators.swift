/// The validators with which a client asks later whether a representation changed (RFC 9110,
/// section 8.8).
package struct Validators: Sendable, Equatable, Codable {
    /// The whole field value, quotes and `W/` included.
    package var entityTag: String?
    /// The whole field value, as the origin wrote it.
    package var lastModified: String?

    package init(entityTag: String?, lastModified: String?) {
        self.entityTag = entityTag
        self.lastModified = lastModified
    }

    package var isEmpty: Bool { entityTag == nil && lastModified == nil }
}
