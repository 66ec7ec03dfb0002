/// A request that is ready to be sent, and the response that it must get.
struct LoadRequest: Sendable {
    var path: String
    /// Request line, fields and the empty line.
    var bytes: [UInt8]
    /// Statuses that are good.
    var statuses: [Int] = [200]
    /// Bytes of the body; nil accepts any number. For the first of ``statuses`` only.
    var length: Int?
    /// The body, compared with every ``LoadPlan/checkEvery``th response; nil compares none.
    var body: [UInt8]?

    /// - Parameter fields: further fields, such as `("If-None-Match", tag)`.
    static func get(
        _ path: String, host: String = "127.0.0.1", fields: [(String, String)] = []
    ) -> LoadRequest {
        let lines = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
        return LoadRequest(
            path: path,
            bytes: Array("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\(lines)\r\n".utf8))
    }

    /// The same request for a connection of its own. The server closes it, so that this side has its
    /// port back at once: with those of a second in use, connections would wait for ports.
    var closing: LoadRequest {
        var closing = self
        closing.bytes.removeLast(2)
        closing.bytes += Array("Connection: close\r\n\r\n".utf8)
        return closing
    }
}

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

/// What a run of load found.
struct LoadOutcome: Sendable {
    /// From the start of the first request to the end of the last response, at most
    /// ``LoadPlan/length`` for the rate's sake: responses after it don't count for the rate.
    var nanoseconds: UInt64 = 0
    /// Good responses within ``LoadPlan/length``.
    var inTime = 0
    /// Responses by status, good or not.
    var statuses: [Int: Int] = [:]
    var faults: [LoadFault: Int] = [:]
    /// Bytes of all responses, heads included.
    var bytes = 0
    /// From the moment at which a request should have been sent to the end of its response. In an
    /// open loop this includes the wait for a free connection, and requests that were due and never
    /// sent count with the time they had waited.
    var latency = LatencyHistogram()
    /// How late requests were sent although a connection was free: what the generator itself adds.
    var lag = LatencyHistogram()
    /// Requests that were due and not sent within ``LoadPlan/length``.
    var unsent = 0
    /// Processor time of the thread that sends and receives.
    var generatorNanoseconds: UInt64 = 0
    /// What was wrong with the first bad response, as a sentence.
    var firstError: String?

    /// Requests without a good response.
    var errors: Int { faults.values.reduce(0, +) }
    var responses: Int { statuses.values.reduce(0, +) }
    /// Good responses a second.
    var rate: Double { nanoseconds == 0 ? 0 : Double(inTime) / (Double(nanoseconds) / 1e9) }
    /// Of all responses, heads included.
    var megabytesPerSecond: Double {
        nanoseconds == 0 ? 0 : Double(bytes) / Double(nanoseconds) * 1e3
    }
    /// Share of the time in which the generator was busy: near 1, it is what bounds the rate.
    var generatorShare: Double {
        nanoseconds == 0 ? 0 : Double(generatorNanoseconds) / Double(nanoseconds)
    }
}
