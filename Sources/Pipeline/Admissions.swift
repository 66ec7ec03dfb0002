import Catalog
import Fetch

/// The bounds on what requests have under way.
struct Admissions: Sendable {
    /// Requests that wait for a walk, their own or another's.
    let requests: AdmissionQueue
    /// Catalogue pages and details; a place is held while the source's host is waited for, so that no
    /// source gets all of them.
    let lookups: AdmissionQueue
    /// Walks; a place is held only while an original is fetched or in memory.
    private let walks: AdmissionQueue

    init(_ policy: LoadPolicy) {
        requests = AdmissionQueue(places: policy.waitingRequests, line: 0)
        lookups = AdmissionQueue(places: policy.lookups, line: policy.waitingLookups)
        walks = AdmissionQueue(places: policy.walks, line: policy.waitingWalks)
    }

    /// With a visit, by which a place is taken; without a mode unbounded, and without a visit.
    func walk<Value: Sendable>(
        _ share: FairQueue.Share, _ mode: AdmissionQueue.Mode?,
        _ work: @escaping @Sendable (AdmissionQueue.Visit?) async throws -> Value
    ) async throws -> Value {
        guard let mode else { return try await work(nil) }
        return try await walks.visit(share, mode) { try await work($0) }
    }

    /// Walks of requests that hold a place, and those without one.
    var walkLoad: (running: Int, waiting: Int) { walks.load }
}

extension FairQueue.Share {
    /// Work on a source for the client of the current task.
    init(source: String) {
        self.init(group: source, client: Requester.address)
    }

    /// Work on an item for the client of the current task; the hosts of signed URLs are as different
    /// as sources are.
    init(_ item: Item) {
        self.init(source: SignedURL.host(of: item).map { "\(item.source) \($0)" } ?? item.source)
    }
}

/// Runs `work` for the client at `address`, which is told from others where requests wait; `nil` where
/// it is not known.
package func withRequester<Value>(
    _ address: String?, _ work: () async throws -> Value
) async rethrows -> Value {
    try await Requester.$address.withValue(address, operation: work)
}
