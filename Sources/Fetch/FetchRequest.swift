package import Memory
package import Threads

/// A request to an origin, with its limits.
package struct FetchRequest: Sendable {
    package enum Method: String, Sendable, CaseIterable {
        case get = "GET"
        case post = "POST"
        case head = "HEAD"
        case put = "PUT"
        case delete = "DELETE"
        /// What caches take to drop a response.
        case purge = "PURGE"
        case ban = "BAN"

        /// Whether the request may be sent again although its host may have received it (RFC 9110,
        /// section 9.2.2).
        var isIdempotent: Bool { self != .post }

        /// Whether its requests have a body.
        var hasBody: Bool { self == .post || self == .put }
    }

    /// The use of the bytes. It decides limits and log fields, not the transfer.
    package enum Purpose: String, Sendable {
        case api, original, object
    }

    /// Absolute http or https URL.
    package var url: String
    package var method: Method = .get
    /// Extra request headers; a value with CR, LF or NUL is refused. May hold secrets: never logged.
    package var headers: [(name: String, value: String)] = []
    /// Body of a POST or PUT.
    package var body: [UInt8]?
    /// Sent as `If-None-Match` / `If-Modified-Since`; a 304 then comes back as the status.
    package var validators: Validators?
    /// Hosts allowed for the URL and for every redirect; nil allows any public host.
    package var allowedHosts: [HostPattern]?
    /// Whether plain HTTP may reach only the allowed networks, after every redirect, too.
    package var plainIsInside = false
    /// Limit of redirects, if lower than the fetcher's own.
    package var maxRedirects: Int?
    /// Limit of the body in bytes. A larger body is ``FetchError/Cause/tooLarge(limit:)``.
    package var maxBytes: Int
    package var purpose: Purpose
    /// Statuses that are final although ``RetryPolicy`` would retry them.
    package var finalStatuses: Set<Int> = []
    /// Taken before each transfer of this request, if not nil. It is kept after a response and
    /// given back after an error.
    package var permit: (any StartPermit)?
    /// The budget in which memory for the body is reserved as needed; nil reserves none. A body
    /// over ``ByteBudget/largest`` is ``FetchError/Cause/tooLarge(limit:)``.
    package var budget: ByteBudget?

    /// Of a request that no client waits for, which starts after all others of its host; nil if one does.
    package var urgency = Urgency.current

    package init(url: String, purpose: Purpose, maxBytes: Int) {
        self.url = url
        self.purpose = purpose
        self.maxBytes = maxBytes
    }
}

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

/// A permit to start a transfer, taken when the transfer's host lets it start.
///
/// It limits work in progress. A request that waits for its host is not in progress.
package protocol StartPermit: AnyObject, Sendable {
    /// Returns whether the transfer may start now. If not, `wake` is called once, on any thread,
    /// when another attempt is useful.
    ///
    /// Called on the network thread, so it must not block.
    func take(orWake wake: @escaping @Sendable () -> Void) -> Bool

    /// Releases the permit or cancels the wait for it. A retry or redirect takes it again.
    func giveBack()
}

/// The client for which the current task works.
package enum Requester {
    /// The client's network address. Requests of different clients take turns at a host. nil for
    /// the service's own work and behind a proxy.
    @TaskLocal package static var address: String?
}
