import Catalog
import Fetch

/// The limits of concurrent work for requests.
struct AdmissionQueues: Sendable {
    /// How a miss is admitted.
    enum MissAdmission: Sendable {
        /// Waits for a place in the bounded queue.
        case queued
        /// Needs a free place at once, for work that no caller waits for.
        case ifFree
        /// Not limited here, because the caller limits its work itself.
        case unbounded
    }

    /// Requests that wait for a miss, their own or another's.
    let requests: AdmissionQueue
    /// Lookups of catalog pages and details. A lookup holds its place while it waits for its host,
    /// so that no source gets all places.
    let lookups: AdmissionQueue
    /// A miss holds a place only while an original is fetched or in memory.
    private let misses: AdmissionQueue

    init(_ policy: LoadPolicy) {
        requests = AdmissionQueue(places: policy.waitingRequests, line: 0)
        lookups = AdmissionQueue(places: policy.lookups, line: policy.waitingLookups)
        misses = AdmissionQueue(places: policy.misses, line: policy.waitingMisses)
    }

    /// Runs `work` with a visit, through which it takes a place. Unbounded work gets no visit.
    ///
    /// - Parameter executor: See ``AdmissionQueue/visit(_:_:on:_:)``.
    func miss<Value: Sendable>(
        _ share: FairQueue.Share, _ admission: MissAdmission,
        on executor: (any TaskExecutor)? = nil,
        _ work: @escaping @Sendable (AdmissionQueue.Visit?) async throws -> Value
    ) async throws -> Value {
        let mode: AdmissionQueue.Mode
        switch admission {
        case .queued: mode = .line
        case .ifFree: mode = .none
        case .unbounded: return try await work(nil)
        }
        return try await misses.visit(share, mode, on: executor) { try await work($0) }
    }

    /// Number of misses with a place, and of misses without one.
    var missLoad: (running: Int, waiting: Int) { misses.load }
}

extension FairQueue.Share {
    /// Work on a source for the client of the current task.
    init(source: String) {
        self.init(group: source, client: Requester.address)
    }

    /// Work on an item for the client of the current task. Each host of signed URLs has its own
    /// share.
    init(_ item: Item) {
        self.init(source: SignedURL.host(of: item).map { "\(item.source) \($0)" } ?? item.source)
    }
}

/// Runs `work` for the client at `address`. Clients have fair shares of the queues.
///
/// - Parameter address: `nil` if it is not known.
package func withRequester<Value>(
    _ address: String?, _ work: () async throws -> Value
) async rethrows -> Value {
    try await Requester.$address.withValue(address, operation: work)
}
