import Catalog
import FoundationEssentials
import Imaging
import Logging
import Memory
import Store
import Synchronization
import Threads
import Traces

extension Miss {
    typealias Flights = InFlight<Flight, MissRequest, Result<MissResult, Failure>>

    /// Callers share a miss if they want the same item, its thumbnails or its pyramid, and began with the
    /// same settings.
    struct Flight: Hashable, Sendable {
        var item: Item
        var isPyramid: Bool
        /// ``Edition/number``
        var edition: Int
    }
}

/// The misses in flight, at most one for an item's thumbnails and one for its pyramid. Callers that want
/// the same join it.
final class Misses: Sendable {
    private let context: MissContext
    /// Requests that wait for a miss, their own or another's.
    private let requests: AdmissionQueue
    /// A miss holds a place only while an original is fetched or in memory.
    private let places: AdmissionQueue
    /// Clients that wait for a miss.
    private let visitors: Visitors
    private let logger: Logger
    private let flights: Miss.Flights
    private let brakes: (thumbnails: RefreshBrake, pyramids: RefreshBrake)

    init(
        _ context: MissContext, _ load: LoadPolicy, _ visitors: Visitors, _ logger: Logger
    ) {
        self.context = context
        requests = AdmissionQueue(places: load.waitingRequests, line: 0)
        places = AdmissionQueue(places: load.misses, line: load.waitingMisses)
        self.visitors = visitors
        self.logger = logger
        let freshness = context.thumbnails.freshness
        brakes = (RefreshBrake(freshness), RefreshBrake(freshness))
        flights = Miss.Flights(on: context.thumbnails.blobs.executor, merge: MissRequest.merge)
    }

    var count: Int { flights.count }

    /// Misses that hold a place, and those that wait for a host or a place.
    var load: (running: Int, waiting: Int) { places.load }

    /// Number of callers that wait for thumbnails of an item.
    func waiting(for item: Item) -> Int { flights.waiting(for: flight(item, isPyramid: false)) }

    func settled(where isMeant: (Item) -> Bool) async {
        await flights.settled { isMeant($0.item) }
    }

    private func flight(_ item: Item, isPyramid: Bool) -> Miss.Flight {
        Miss.Flight(
            item: item, isPyramid: isPyramid, edition: context.editions.current.number)
    }

    /// Joins the miss of that item in flight, or starts one, for a client that waits for it. The number
    /// of requests that wait for misses is limited.
    func visit(
        _ item: Item, _ request: MissRequest
    ) async throws -> (result: MissResult, joined: Bool) {
        try await RequestTrace.working {
            try await visitors.during {
                try await requests.run(.init(item), .ifFree) {
                    try await join(item, request, .queued)
                }
            }
        }
    }

    /// Makes an item's pictures again in the background. One refresh runs however many callers find that
    /// they have expired, and none soon after a failed one.
    func refresh(_ item: Item, _ request: MissRequest) {
        let brake = request.isOfPyramid ? brakes.pyramids : brakes.thumbnails
        guard brake.begin(item, at: context.now()) else { return }
        // Unstructured, because the response does not wait for it.
        Task { [self] in
            let isRefreshed: Bool
            do {
                let result = try await join(item, request, .ifFree).result
                isRefreshed = !result.isStale && result.failure == nil
            } catch {
                // The miss logged why.
                isRefreshed = false
            }
            brake.end(item, isRefreshed: isRefreshed, at: context.now())
            StateChange.tell()
        }
    }

    /// Joins the miss of that item in flight, or starts one.
    ///
    /// - Parameter admission: how it gets a place; nil if the caller limits its work itself.
    func join(
        _ item: Item, _ request: MissRequest, _ admission: AdmissionQueue.Mode?
    ) async throws -> (result: MissResult, joined: Bool) {
        try await context.editions.during {
            var landing = try await joinOnce(item, request, admission)
            // The joined miss was rejected because of the client that started it, so try with this
            // client's share.
            if landing.joined, case .failure(let failure) = landing.value,
                failure.kind == .overloaded
            {
                landing = try await joinOnce(item, request, admission)
            }
            return (try landing.value.get(), landing.joined)
        }
    }

    private func joinOnce(
        _ item: Item, _ request: MissRequest, _ admission: AdmissionQueue.Mode?
    ) async throws -> Miss.Flights.Landing {
        let share = FairQueue.Share(item)
        let wait = Span.begin()
        let flight = flight(item, isPyramid: request.isOfPyramid)
        let landing = await flights.value(for: flight, request) { [self] requests in
            do throws(Failure) {
                let result = try await Failure.catching {
                    guard let admission else { return try await make(flight, requests, nil) }
                    return try await places.visit(
                        share, admission, on: context.thumbnails.blobs.executor
                    ) { [self] visit in try await make(flight, requests, visit) }
                }
                log(result, of: item)
                return .success(result)
            } catch {
                log(error, of: item)
                return .failure(error)
            }
        }
        guard let landing else { throw CancellationError() }
        if landing.joined { wait?.endWait(landing.value) }
        return landing
    }

    /// Makes an item's pictures, unless another process or another node has made them meanwhile.
    private func make(
        _ flight: Miss.Flight, _ requests: Miss.Flights.Orders, _ visit: AdmissionQueue.Visit?
    ) async throws -> MissResult {
        let item = flight.item
        return try await Claims.withPatience {
            // Another process may make the same pictures. Then this miss finds them.
            let claim = try await context.thumbnails.index.claims.claim(
                (flight.isPyramid ? "pyramid:" : "item:") + "\(item)")
            defer { withExtendedLifetime(claim) {} }
            try await context.blocks.follow()
            if context.blocks.block(of: item) == nil {
                if claim?.wasAwaited == true, let result = try await stored(item, requests) {
                    return result
                }
                if let result = try await restored(item, requests) { return result }
            }
            var miss = try Miss(item, requests, context, visit)
            return try await miss.run()
        }
    }

    /// Returns the pictures that another node has made, after they came into this node's cache; nil
    /// if one is missing or has expired.
    private func restored(
        _ item: Item, _ requests: Miss.Flights.Orders
    ) async throws -> MissResult? {
        guard let shared = context.shared, context.folders.folder(of: item) == nil else {
            return nil
        }
        let start = ContinuousClock.now
        while true {
            let request = requests.update { $0 }
            guard !request.wantsOriginal, !request.isOfPyramid,
                try await shared.restore(item, request.needed)
            else { return nil }
            if var result = try await stored(item, requests, orFailures: true) {
                result.timings.fetch = start.duration(to: .now)
                MissStage.restored(from: start)
                return result
            }
            // What a caller needs that has joined meanwhile may be there, too, perhaps as thumbnails of
            // another original.
            guard requests.update({ $0.needed }) != request.needed else { return nil }
        }
    }

    /// Returns the pictures that another process has made meanwhile, perhaps from another candidate;
    /// nil if one is missing.
    ///
    /// - Parameter orFailures: accepts placeholders of failures that are remembered.
    private func stored(
        _ item: Item, _ requests: Miss.Flights.Orders, orFailures: Bool = false
    ) async throws -> MissResult? {
        let request = requests.update { $0 }
        // A miss finds a pyramid by itself, without its bytes.
        guard !request.wantsOriginal, !request.isOfPyramid else { return nil }
        var result = MissResult(trace: Trace(resolvedAt: context.now()))
        for rendition in request.needed {
            let key = PictureKey(item: item, rendition: rendition)
            let picture = try await context.picture(key)
            guard let picture, orFailures || !picture.isPlaceholder,
                picture.freshUntil > context.now()
            else { return nil }
            if picture.isPlaceholder { result.failure = picture.failure }
            result.pictures[rendition] = picture
        }
        result.reused = request.needed.count
        // A caller that has joined since may need more.
        let isAll = requests.update { newest in
            guard newest.needed == request.needed, !newest.wantsOriginal else { return false }
            newest.renditions = newest.needed
            newest.stage = .published
            return true
        }
        return isAll ? result : nil
    }

    private func log(_ result: MissResult, of item: Item) {
        // A warm run names its failures itself.
        guard let failure = result.failure, WarmStages.current == nil else { return }
        // An absent picture is normal, and a remembered failure was logged before.
        let isNews =
            failure.kind != .absent && result.trace.steps.contains { $0.outcome == .failed }
        logger.log(
            level: isNews ? .notice : .debug, "no picture",
            metadata: [
                "item": "\(item.shown)", "kind": "\(failure.kind.rawValue)",
                "reason": "\(failure.reason)",
            ])
    }

    private func log(_ error: Failure, of item: Item) {
        // These are not worth a log line per item: the client gets the reason, and logging every
        // rejection would add to the load.
        let level: Logger.Level =
            switch error.kind {
            case .unconfigured, .overloaded, .canceled: .debug
            default: WarmStages.current == nil ? .warning : .debug
            }
        logger.log(
            level: level, "miss failed", metadata: ["item": "\(item.shown)", "error": "\(error)"])
    }
}

extension Span {
    /// Ends the wait for a miss that another request began, with a link to that request.
    fileprivate func endWait(_ miss: Result<MissResult, Failure>) {
        switch miss {
        case .success(let result):
            end(
                "wait", error: result.failure.map(SpanError.init),
                links: [result.leader].compactMap(\.self))
        case .failure(let failure): end("wait", error: SpanError(failure))
        }
    }
}

/// Allows one refresh of an item at a time, and none soon after a failed one, even if the failure
/// can't be stored. Any thread.
final class RefreshBrake: Sendable {
    /// Pauses double up to this many times the first one, which is five minutes by default. Longer
    /// pauses would delay refreshes after a source has recovered.
    private static let mostTimes = 10.0

    private struct Pause {
        var until: Date
        var seconds: TimeInterval
    }

    private let first: TimeInterval
    private let running = Mutex(Set<Item>())
    private let pauses = MemoryTier<Item, Pause>(maxCost: 20_000, maxCount: 20_000)

    init(_ policy: FreshnessPolicy) { first = max(1, policy.unavailable) }

    /// Returns whether a refresh may run at `now`. If so, call ``end(_:isRefreshed:at:)`` after it.
    func begin(_ item: Item, at now: Date) -> Bool {
        // A pause longer than the longest one means that the clock was set back since.
        if let pause = pauses.value(item), pause.until > now,
            pause.until <= now.addingTimeInterval(longest)
        {
            return false
        }
        return running.withLock { $0.insert(item).inserted }
    }

    func end(_ item: Item, isRefreshed: Bool, at now: Date) {
        if isRefreshed {
            pauses.remove(item)
        } else {
            let seconds = min(pauses.value(item).map { $0.seconds * 2 } ?? first, longest)
            pauses.insert(
                Pause(until: now.addingTimeInterval(seconds), seconds: seconds), for: item, cost: 1)
        }
        running.withLock { _ = $0.remove(item) }
    }

    private var longest: TimeInterval { first * Self.mostTimes }
}
