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
