/// Jobs that several processes share. At least once: a job whose worker dies is delivered again.
///
/// Calls may take seconds while a server is unreachable. None blocks a thread of Swift's pool.
package protocol WorkQueue: Sendable {
    /// Adds a job. Returns false if a job with the same id was added within the dedupe window.
    func publish(_ job: QueueJob) async throws(QueueError) -> Bool

    /// Leases jobs to the caller. Returns as soon as there is one, or nothing after `wait`. Jobs of
    /// the high lane come first, and origins take turns.
    ///
    /// - Throws: ``QueueError``; `CancellationError` at once when the task is canceled. Jobs that
    ///   arrive at that moment are given back.
    func fetch(_ request: QueueFetch, wait: Duration) async throws -> [Delivery]

    /// Renews a lease. A job whose lease ends is delivered again.
    func extend(_ delivery: Delivery) async throws(QueueError)

    /// Removes a job that is done. Returns once the queue has confirmed it.
    func finish(_ delivery: Delivery) async throws(QueueError)

    /// Gives a job back, to be delivered again after `delay`.
    func retry(_ delivery: Delivery, after delay: Duration) async throws(QueueError)

    /// Removes a job that can't be done, and keeps it with the reason.
    func bury(_ delivery: Delivery, reason: String, body: [UInt8]) async throws(QueueError)

    /// Returns what is queued, of all routes.
    func backlog() async throws(QueueError) -> Backlog

    /// Returns the newest dead jobs, the last one first.
    func dead(limit: Int) async throws(QueueError) -> [DeadJob]
}

/// What a worker can take.
package struct QueueFetch: Sendable {
    package var route: String
    package var limit: Int
    /// Origins that have enough of the worker's places.
    package var without: Set<String> = []

    package init(route: String, limit: Int, without: Set<String> = []) {
        self.route = QueueJob.token(route)
        self.limit = limit
        self.without = without
    }
}

/// A job that is leased to a worker.
package struct Delivery: Sendable {
    package let lane: QueueJob.Lane
    package let route: String
    package let origin: String
    package let body: [UInt8]
    /// How often the job was delivered, this time included.
    package let count: Int
    /// What the queue knows it by.
    let handle: any Sendable
}

/// What a queue holds.
package struct Backlog: Sendable, Equatable, Codable {
    /// The jobs of one origin in one lane.
    package struct Part: Sendable, Equatable, Codable {
        package var lane: QueueJob.Lane
        package var route: String
        package var origin: String
        /// Jobs that no worker has.
        package var waiting = 0
        /// Jobs that workers have, and those that wait for another attempt.
        package var leased = 0
        /// Jobs of these that were delivered more than once.
        package var redelivered = 0
    }

    package var parts: [Part] = []
    /// Age of the oldest job in seconds; nil without a job.
    package var oldest: Double?
    package var dead = 0

    package var waiting: Int { parts.reduce(0) { $0 + $1.waiting } }
    package var leased: Int { parts.reduce(0) { $0 + $1.leased } }
    package var redelivered: Int { parts.reduce(0) { $0 + $1.redelivered } }
    package var count: Int { waiting + leased }
}

/// A job that could not be done.
package struct DeadJob: Sendable, Equatable, Codable {
    package var reason: String
    package var origin: String
    /// Deliveries before it was given up.
    package var deliveries: Int
    /// Seconds since 1970.
    package var at: Double
    package var body: [UInt8]
}

/// Bounds of a queue, with the reasons.
package struct QueuePolicy: Sendable {
    /// A worker renews its leases each third of this. After a worker's death its jobs come back
    /// this late.
    package var lease: Duration = .seconds(30)
    /// How long the id of a job is remembered. Short, because the server holds all of them in
    /// memory: 2 minutes at 20,000 a second are 2.4 million.
    package var dedupe: Duration = .seconds(30)
    /// Jobs that all workers may have at once.
    package var maxLeased = 20_000
    /// How long purges, and values that nothing writes any more, are kept.
    package var retention: Duration = .seconds(7 * 86_400)
    /// Values of ``Hub/live`` vanish after this time without a write.
    package var life: Duration = .seconds(15)
    /// How long an attempt to reach the servers may take when the queue is opened.
    package var patience: Duration = .seconds(30)
    /// Called each time that a fetch has found nothing, before it waits.
    package var idles: @Sendable () -> Void = {}

    package init() {}
}
