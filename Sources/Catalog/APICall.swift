package import Fetch

/// One call of a source's API.
package struct APICall: Sendable {
    /// The URL without secrets.
    package var url: String
    /// An encoded `name=value` that joins the URL's query only when the call is sent.
    ///
    /// It may hold secrets, so it is never logged and never part of a key.
    package var secretQuery: String?
    /// May hold secrets, so they are never logged and never part of a key.
    package var headers: [(name: String, value: String)] = []
    /// If set, the call is a POST with this body.
    package var body: [UInt8]?
    /// Hosts that the call and its redirects may reach.
    package var allowedHosts: [HostPattern]
    /// Hosts that may be asked without TLS, in the allowed networks only. See ``CheckedURL``.
    package var plainHosts: Set<String> = []
    /// Whether the operator named the address, which may be any http or https URL then.
    package var isOperators = false
    /// Limit of redirects, all within `allowedHosts`; `nil` means the fetcher's own limit.
    package var maxRedirects: Int?
    /// Set if the response itself should be cached: a hop of a chain, a configuration.
    package var keeping: Keeping?

    /// How long and under which key a response is cached. Only 2xx responses are.
    package struct Keeping: Sendable {
        /// The cache key, without secrets, unique across all sources. Usually the URL.
        package var key: String
        /// Seconds.
        package var timeToLive: Double
        package var use: Use
        /// Returns the part of a 2xx body to cache, which decodes like the whole: a record may be
        /// much larger than the fields we read. Returns `nil` for an invalid body, which is then
        /// not cached.
        package var part: @Sendable ([UInt8]) -> [UInt8]?

        /// Which calls a cached response answers.
        package enum Use: Sendable {
            /// All while it is fresh, and while the API is unreachable.
            case orLast
            /// All while it is fresh.
            case whileFresh
            /// Not this one, which is always sent; its response replaces the cached one.
            case afterwards
        }

        package init(
            key: String, timeToLive: Double, use: Use = .orLast,
            part: @escaping @Sendable ([UInt8]) -> [UInt8]? = { $0 }
        ) {
            self.key = key
            self.timeToLive = timeToLive
            self.use = use
            self.part = part
        }
    }

    package init(url: String, allowedHosts: [HostPattern]) {
        self.url = url
        self.allowedHosts = allowedHosts
    }
}

/// Every text made of a call omits its secrets.
extension APICall: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(body == nil ? "GET" : "POST") \(url)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["url": url]) }
}
