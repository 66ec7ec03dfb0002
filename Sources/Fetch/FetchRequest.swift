package import Memory

/// What to get, and within which bounds.
package struct FetchRequest: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    /// What the bytes are for; bounds and log fields differ, the transfer does not.
    package enum Purpose: String, Sendable {
        case api, original
    }

    /// Absolute http or https URL.
    package var url: String
    package var method: Method = .get
    /// Extra request headers; a value with CR, LF or NUL is refused. May hold secrets: never logged.
    package var headers: [(name: String, value: String)] = []
    /// Body of a POST.
    package var body: [UInt8]?
    /// Sent as `If-None-Match` / `If-Modified-Since`; a 304 then comes back as the status.
    package var validators: Validators?
    /// Hosts that may be asked, for the URL and for every redirect; `nil` allows any public host.
    package var allowedHosts: [HostPattern]?
    /// Redirects followed, where fewer than the fetcher's own bound.
    package var maxRedirects: Int?
    /// Bytes of body accepted; one more aborts with ``FetchError/tooLarge(limit:)``.
    package var maxBytes: Int
    package var purpose: Purpose
    /// Asked before each transfer of this request; `nil` needs no leave. Kept after an answer, given
    /// back after an error.
    package var permit: (any StartPermit)?
    /// Where room for the body is reserved, as it turns out to be needed; nil takes `maxBytes` for
    /// granted. A body over ``ByteBudget/largest`` is ``FetchError/tooLarge(limit:)``.
    package var budget: ByteBudget?

    package init(url: String, purpose: Purpose, maxBytes: Int) {
        self.url = url
        self.purpose = purpose
        self.maxBytes = maxBytes
    }
}

/// What an origin gave to ask later whether a representation changed (RFC 9110, section 8.8).
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

/// A host name, `*.` and a name for every host below it, or `*` for every host. Compared without case or final dot.
package struct HostPattern: Sendable, Hashable, Codable, CustomStringConvertible {
    package let description: String

    package init(_ text: String) {
        var lowered = text.lowercased()
        if lowered.hasSuffix(".") { lowered.removeLast() }
        description = lowered
    }

    package func matches(_ host: String) -> Bool {
        var host = host.lowercased()
        if host.hasSuffix(".") { host.removeLast() }
        if description == "*" { return true }
        if description.hasPrefix("*.") { return host.hasSuffix(description.dropFirst()) }
        return host == description
    }
}
