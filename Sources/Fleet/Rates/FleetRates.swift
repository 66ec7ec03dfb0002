package import Fetch
package import Logging
import Synchronization
import Threads
package import WorkQueue

/// The rates of origins that have one, divided among all nodes, so that any number of nodes asks an
/// origin no faster than one.
///
/// Starting a transfer only looks at this node's share. Shares are changed in the background, once a
/// second for each origin in use.
package final class FleetRates: Sendable {
    private static let attempts = 5

    private let values: any SharedValues
    private let name: String
    private let trickles: Bool
    private let logger: Logger
    private let shares = Mutex<[String: RateShare]>([:])
    private let now: @Sendable () -> ContinuousClock.Instant
    private let started: @Sendable (ContinuousClock.Instant) -> Void
    /// Wakes the writer for an origin that is new.
    private let (news, new) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// - Parameters:
    ///   - name: no other node has it.
    ///   - trickles: whether this node starts one transfer a window while it can't reach the queue, because
    ///     clients wait. Otherwise it starts none to origins that have a rate.
    ///   - started: is told when each transfer began.
    package init(
        _ hub: Hub, name: String, trickles: Bool, logger: Logger,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        started: @escaping @Sendable (ContinuousClock.Instant) -> Void = { _ in }
    ) {
        self.started = started
        values = hub.values
        self.name = name
        self.trickles = trickles
        self.logger = logger
        self.now = now
    }

    /// Returns the limit for the fetcher. It holds together with `inner`, which is asked second.
    package func limit(beside inner: SharedRateLimit?) -> SharedRateLimit {
        SharedRateLimit { [self] host, rate, begin in
            start(host, rate) {
                guard let inner else { return (begin(), nil) }
                var began = false
                let wait = inner.start(host, rate) {
                    began = begin()
                    return began
                }
                return (began, wait)
            }
        }
    }

    private func start(
        _ host: String, _ rate: HostPolicy.Rate, _ begin: () -> (began: Bool, wait: Duration?)
    ) -> Duration? {
        let (wait, isNew): (Duration?, Bool) = shares.withLock { shares in
            let now = now()
            var share =
                shares[host] ?? RateShare(name: name, count: rate.count, per: rate.per)
            let isNew = !share.isWanted(at: now)
            let least = trickles && share.isLapsed(at: now) ? 1 : 0
            defer { shares[host] = share }
            if let wait = share.wait(at: now, least: least) { return (wait, isNew) }
            let (began, wait) = begin()
            if began {
                share.record(now)
                started(now)
            }
            return (wait, isNew)
        }
        if isNew { new.yield() }
        return wait
    }

    /// Divides rates until the task is canceled. What was started within the last window keeps its slots then;
    /// they come back when this node counts as gone.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                for await _ in news { await divide() }
            }
            group.addTask { [self] in
                while !Task.isCancelled {
                    await divide()
                    do { try await Task.sleep(for: RateShare.interval) } catch { return }
                }
            }
        }
    }

    /// Writes the share of every origin in use.
    func divide() async {
        let now = now()
        let hosts = shares.withLock { shares in
            shares = shares.filter { $0.value.isWanted(at: now) }
            return shares.keys.sorted()
        }
        for host in hosts {
            do throws(QueueError) {
                try await divide(host)
            } catch {
                logger.debug("a rate can't be divided", metadata: ["reason": "\(error)"])
            }
        }
    }

    private func divide(_ host: String) async throws(QueueError) {
        let key = "rate.\(QueueJob.token(host))"
        for _ in 0..<Self.attempts {
            let stored = try await values.value(key)
            // A document that can't be read is replaced. Its members find themselves without a share
            // at their next write, a second later.
            let found = stored.flatMap { RateDocument(json: $0.bytes) }.flatMap {
                $0.isPossible ? $0 : nil
            }
            if let stored, !stored.bytes.isEmpty, found == nil {
                logger.warning(
                    "the shares of a rate are wrong and are written again",
                    metadata: ["host": "\(host)"])
            }
            let document = found ?? RateDocument()
            let plan = shares.withLock { $0[host]?.next(document, at: now()) }
            guard let plan else { return }
            let bytes = try plan.document.json("the shares of a rate")
            let begun = now()
            if try await values.exchange(key, bytes, for: stored?.revision) != nil {
                shares.withLock { $0[host]?.wrote(plan, begun: begun, at: now()) }
                StateChange.tell()
                return
            }
        }
    }
}
