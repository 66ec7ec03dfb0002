import Memory

/// One libcurl run: a checked target, without redirects and retries.
struct Transfer: Sendable {
    var target: Target
    var method: FetchRequest.Method
    /// Ready field lines, checked against line breaks.
    var headers: [String]
    var body: [UInt8]?
    var maxBytes: Int
    /// Whether a compressed body may be asked for; `maxBytes` then bounds the inflated one.
    var acceptsCompression: Bool
    /// Room for the body; nil where `maxBytes` is not reserved.
    var hold: ByteBudget.Hold?
    /// From the start of the run to its last byte.
    var timeout: Duration
    var addresses: AddressPolicy
    /// Asked before it starts.
    var permit: (any StartPermit)?
    /// See ``Requester/address``.
    var client: String?
}
