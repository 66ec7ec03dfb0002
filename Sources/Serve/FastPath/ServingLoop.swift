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
    private let budget: ConnectionBudget
    private var connections: [ObjectIdentifier: any LoopConnection] = [:]
    /// Before their handshake is done they count as no connections.
    private var handshakes: [ObjectIdentifier: any LoopConnection] = [:]
    /// Those that could go, each kind with the oldest last; of this tick.
    private var closable: (dripping: [any LoopConnection], idle: [any LoopConnection])?
    /// As the budget knows.
    private var dripping = 0
    private var slowPaths = 0
    private var ticking: RepeatedTask?
    private var drained: EventLoopPromise<Void>?
    private var isAborting = false

    init(
        _ pipeline: MediaPipeline, _ slowPath: SlowPath, _ limits: ConnectionLimits,
        _ counters: LoopCounters, _ budget: ConnectionBudget, on eventLoop: any EventLoop
    ) {
        self.budget = budget
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

    func began(_ handshake: any LoopConnection) {
        handshakes[ObjectIdentifier(handshake)] = handshake
        if isDraining { handshake.abort() }
    }

    func ended(_ handshake: any LoopConnection) {
        handshakes[ObjectIdentifier(handshake)] = nil
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
        for handshake in Array(handshakes.values) { handshake.abort() }
        for connection in Array(connections.values) { connection.quiesce() }
        succeedIfDrained()
        return promise.futureResult
    }

    var isDraining: Bool { drained != nil || isAborting }

    /// Ends every connection, whatever it does.
    func abort() {
        isAborting = true
        for handshake in Array(handshakes.values) { handshake.abort() }
        for connection in Array(connections.values) { connection.abort() }
    }

    func stop() {
        ticking?.cancel()
        ticking = nil
        giveBack = nil
    }

    /// Closes so many connections, those first that dripped or were idle for longest. They are put
    /// in order once a tick at most, so that a connection costs the same however many there are.
    func makeRoom(dripping drippingCount: Int, idle idleCount: Int) {
        var queue = closable ?? orderedClosable()
        var left = drippingCount
        while left > 0, let connection = queue.dripping.popLast() {
            guard connection.standing == .dripping else { continue }
            counters.timedOut.add()
            connection.abort()
            left -= 1
        }
        noteDripping(max(0, dripping - (drippingCount - left)))
        left = idleCount
        while left > 0, let connection = queue.idle.popLast() {
            guard connection.standing == .idle else { continue }
            connection.quiesce()
            left -= 1
        }
        closable = queue
    }

    private func orderedClosable() -> (
        dripping: [any LoopConnection], idle: [any LoopConnection]
    ) {
        let all = (Array(connections.values) + Array(handshakes.values))
            .sorted { $0.since > $1.since }
        return (all.filter { $0.standing == .dripping }, all.filter { $0.standing == .idle })
    }

    private func noteDripping(_ count: Int) {
        if count != dripping { budget.noteDripping(count - dripping) }
        dripping = count
    }

    private func tick() {
        time = .now()
        closable = nil
        logsRequests = slowPath.access.showsHits(logger)
        for connection in Array(connections.values) { connection.check() }
        for handshake in Array(handshakes.values) { handshake.check() }
        noteDripping(
            connections.values.count { $0.standing == .dripping }
                + handshakes.values.count { $0.standing == .dripping })
        hits.sweep()
    }
}
