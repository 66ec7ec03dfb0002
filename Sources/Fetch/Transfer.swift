import Memory

/// One libcurl run: a checked target, without redirects and retries.
struct Transfer: Sendable {
    var target: Target
    var method: FetchRequest.Method
    /// Header lines, checked for line breaks.
    var headers: [String]
    var body: [UInt8]?
    var maxBytes: Int
    /// Whether compression is accepted. `maxBytes` then limits the decompressed body.
    var acceptsCompression: Bool
    /// The body's reservation; nil if none is needed.
    var hold: ByteBudget.Hold?
    /// Whether a connection that was used before must not be used.
    var needsNewConnection = false
    /// Limit from the start to the last byte.
    var timeout: Duration
    var addresses: AddressPolicy
    /// Taken before it starts.
    var permit: (any StartPermit)?
    /// See ``FetchRequest/urgency``.
    var urgency: Urgency?
    /// See ``Requester/address``.
    var client: String?
}
