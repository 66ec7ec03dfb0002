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
    private(set) var logsRequests: Bool
    /// The time of the last tick: exact enough for timeouts, and free.
    private(set) var time: NIODeadline
    var hits: HitLookup
    /// Takes a socket over that is to be among those of hits again; `nil` where none are.
    var giveBack: (@Sendable (CInt) -> Void)?

    private let eventLoop: any EventLoop
    private var connections: [ObjectIdentifier: any LoopConnection] = [:]
    private var slowPaths = 0
    private var ticking: RepeatedTask?
    private var drained: EventLoopPromise<Void>?
    private var isAborting = false

    init(
        _ pipeline: MediaPipeline, _ slowPath: SlowPath, _ limits: ConnectionLimits,
        _ counters: LoopCounters, on eventLoop: any EventLoop
    ) {
        self.slowPath = slowPath
        self.limits = limits
        self.counters = counters
        self.eventLoop = eventLoop
        logger = slowPath.logger
        logsRequests = slowPath.access.showsHits(logger)
        time = .now()
        hits = HitLookup(pipeline)
    }

    func start() {
        let loop = NIOLoopBound(self, eventLoop: eventLoop)
        ticking = eventLoop.scheduleRepeatedTask(initialDelay: limits.tick, delay: limits.tick) {
            _ in loop.value.tick()
        }
    }

    func opened(_ connection: any LoopConnection) {
        connections[ObjectIdentifier(connection)] = connection
        counters.open.add()
        if isAborting { connection.abort() } else if drained != nil { connection.quiesce() }
    }

    func closed(_ connection: any LoopConnection) {
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

    var isDraining: Bool { drained != nil || isAborting }

    /// Ends every connection, whatever it does.
    func abort() {
        isAborting = true
        for connection in Array(connections.values) { connection.abort() }
    }

    func stop() {
        ticking?.cancel()
        ticking = nil
        giveBack = nil
    }

    /// Makes room: closes those of the idle connections that have been so longest.
    func closeIdle(atMost count: Int) {
        let idle = connections.values.filter(\.isIdle).sorted { $0.since < $1.since }
        for connection in idle.prefix(count) { connection.quiesce() }
    }

    private func tick() {
        time = .now()
        logsRequests = slowPath.access.showsHits(logger)
        for connection in Array(connections.values) { connection.check() }
        hits.sweep()
    }
}
