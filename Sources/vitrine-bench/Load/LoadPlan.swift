/// Load for one server on this machine.
struct LoadPlan: Sendable {
    /// On 127.0.0.1.
    var port: Int
    var requests: [LoadRequest]
    var order = LoadOrder.Kind.even
    var seed: UInt64 = 1
    var pace = Pace.closed
    /// Connections open at once. An open loop waits for a free one; the wait counts as latency.
    var connections = 64
    /// Whether every request has a connection of its own.
    var closesConnections = false
    /// Requests in all; nil for as many as there is time for.
    var limit: Int?
    /// How long requests are sent.
    var length = Duration.seconds(3)
    /// After this a response counts as failed.
    var timeout = Duration.seconds(30)
    /// Every so many responses one is compared byte by byte.
    var checkEvery = 64
    /// The processor that sends and receives; nil is any.
    var processor: Int?
    /// Whether the thread runs ahead of all ordinary threads, if that is permitted. For load that is
    /// light and stands for clients on another machine, beside programs that use every processor.
    var goesFirst = false
}

/// Why a request got no good response.
enum LoadFault: String, Sendable, CaseIterable {
    case notConnected = "the connection was refused"
    case closed = "the connection ended before the response"
    case timedOut = "the response took too long"
    case malformed = "the response was not HTTP/1.1 with a length"
    case wrongStatus = "the status was another one"
    case wrongLength = "the body had another length"
    case wrongBody = "the body had other bytes"
    case noRetryAfter = "a 503 had no Retry-After"
    case h2load = "h2load counted failures"
}
