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
