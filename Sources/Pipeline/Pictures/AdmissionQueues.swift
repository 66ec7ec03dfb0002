import Catalog
import Fetch

/// The bounds on what requests have under way.
struct AdmissionQueues: Sendable {
    /// How a miss is admitted.
    enum MissAdmission: Sendable {
        /// Waits for a place in the bounded queue.
        case queued
        /// Needs a free place at once, for work that no caller waits for.
        case ifFree
        /// Not bounded here, because the caller bounds its work itself.
        case unbounded
    }

    /// Requests that wait for a miss, their own or another's.
    let requests: AdmissionQueue
    /// Catalog pages and details; a place is held while the source's host is waited for, so that no
    /// source gets all of them.
    let lookups: AdmissionQueue
    /// A miss holds a place only while an original is fetched or in memory.
    private let misses: AdmissionQueue

    init(_ policy: LoadPolicy) {
        requests = AdmissionQueue(places: policy.waitingRequests, line: 0)
        lookups = AdmissionQueue(places: policy.lookups, line: policy.waitingLookups)
        misses = AdmissionQueue(places: policy.misses, line: policy.waitingMisses)
    }

    /// Runs `work` with a visit, by which it takes a place; without one if it is not bounded.
    func miss<Value: Sendable>(
        _ share: FairQueue.Share, _ admission: MissAdmission,
        _ work: @escaping @Sendable (AdmissionQueue.Visit?) async throws -> Value
    ) async throws -> Value {
        let mode: AdmissionQueue.Mode
        switch admission {
        case .queued: mode = .line
        case .ifFree: mode = .none
        case .unbounded: return try await work(nil)
        }
        return try await misses.visit(share, mode) { try await work($0) }
    }

    /// Misses of requests that hold a place, and those without one.
    var missLoad: (running: Int, waiting: Int) { misses.load }
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
