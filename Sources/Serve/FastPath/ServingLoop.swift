import FoundationEssentials
import Logging
import NIOCore
import Pipeline

/// What the connections of one event loop share. Only ever touched on that loop.
final class ServingLoop {
    let limits: ConnectionLimits
    let slowPath: SlowPath
    let counters: LoopCounters
    let logger: Logger
    /// Whether every request is logged.
    let logsRequests: Bool
    /// The time of the last tick: exact enough for timeouts, and free.
    private(set) var time: NIODeadline
    var texts: HeadTexts
    var table: HitTable
    var formats = NegotiatedFormats()

    private let eventLoop: any EventLoop
    private let pipeline: MediaPipeline
    private var connections: [ObjectIdentifier: FastPathHandler] = [:]
    private var slowPaths = 0
    private var ticking: RepeatedTask?
    private var drained: EventLoopPromise<Void>?

    init(
        _ pipeline: MediaPipeline, _ slowPath: SlowPath, _ limits: ConnectionLimits,
        _ counters: LoopCounters, on eventLoop: any EventLoop
    ) {
        self.pipeline = pipeline
        self.slowPath = slowPath
        self.limits = limits
        self.counters = counters
        self.eventLoop = eventLoop
        logger = slowPath.logger
        logsRequests = logger.logLevel <= .debug
        time = .now()
        texts = HeadTexts(pipeline.configuration.freshness)
        table = HitTable(pipeline)
    }

    func now() -> Date { pipeline.now() }

    func start() {
        let loop = NIOLoopBound(self, eventLoop: eventLoop)
        ticking = eventLoop.scheduleRepeatedTask(initialDelay: limits.tick, delay: limits.tick) {
            _ in loop.value.tick()
        }
    }

    func opened(_ connection: FastPathHandler) {
        connections[ObjectIdentifier(connection)] = connection
        counters.accepted.add()
        counters.open.add()
        if drained != nil { connection.quiesce() }
    }

    func closed(_ connection: FastPathHandler) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        counters.open.add(-1)
        succeedIfDrained()
    }

    /// Counts a connection's work on the slow path, until what is returned is called: that can end
    /// later than the connection, and needs the event loop to the last.
    func slowPathEnds() -> @Sendable () -> Void {
        slowPaths += 1
        let loop = NIOLoopBound(self, eventLoop: eventLoop)
        return { [eventLoop] in
            eventLoop.execute {
                loop.value.slowPaths -= 1
                loop.value.succeedIfDrained()
            }
        }
    }

    private func succeedIfDrained() {
        if connections.isEmpty, slowPaths == 0 { drained?.succeed() }
    }

    /// Idle connections close at once, the others after the answer they wait for. Done when none is
    /// left.
    func drain() -> EventLoopFuture<Void> {
        if let drained { return drained.futureResult }
        let promise = eventLoop.makePromise(of: Void.self)
        drained = promise
        for connection in Array(connections.values) { connection.quiesce() }
        succeedIfDrained()
        return promise.futureResult
    }

    /// Ends every connection, whatever it does.
    func abort() {
        for connection in Array(connections.values) { connection.abort() }
    }

    func stop() {
        ticking?.cancel()
        ticking = nil
    }

    /// Makes room: closes those of the idle connections that have been so longest.
    func closeIdle(atMost count: Int) {
        let idle = connections.values.filter(\.isIdle).sorted { $0.since < $1.since }
        for connection in idle.prefix(count) { connection.quiesce() }
    }

    private func tick() {
        time = .now()
        for connection in Array(connections.values) { connection.check() }
        table.sweep()
    }
}
