/// The bounds on what requests have under way.
struct Admissions: Sendable {
    /// Requests that wait for a walk, their own or another's.
    let requests: Admission
    let lookups: Admission
    private let walks: Admission

    init(_ policy: LoadPolicy) {
        requests = Admission(places: policy.waitingRequests, line: 0)
        lookups = Admission(places: policy.lookups, line: policy.waitingLookups)
        walks = Admission(places: policy.walks, line: policy.waitingWalks)
    }

    /// In a place of its own; without patience at once.
    func walk<Value>(
        _ patience: Admission.Patience?, _ work: () async throws -> Value
    ) async throws -> Value {
        guard let patience else { return try await work() }
        return try await walks.run(patience, work)
    }

    /// Walks of requests under way and waiting.
    var walkLoad: (running: Int, waiting: Int) { walks.load }
}
