import HitServer
import Logging
import NIOCore
import Pipeline

/// State that the connections of one event loop share. Used on that loop only.
final class ServingLoop {
    let limits: ConnectionLimits
    let stack: HTTPStack
    let counters: LoopCounters
    let logger: Logger
    /// Whether hits are logged.
    private var logsRequests: Bool
    /// Time of the last tick. Exact enough for timeouts, and free.
    private(set) var time: NIODeadline
    /// Memory for what an HTTP/2 connection writes at once. Each uses it during one call.
    var output = ByteBuffer()

    private let uptime: @Sendable () -> UInt64
    /// Prepared responses for encrypted connections.
    private var hits: HitLookup
    private let eventLoop: any EventLoop
    private let budget: ConnectionBudget
    private var connections: [ObjectIdentifier: any LoopConnection] = [:]
    /// Connections whose handshake is not done. They are not counted as open.
    private var handshakes: [ObjectIdentifier: any LoopConnection] = [:]
    /// Connections that could be closed, each kind with the oldest last. Kept for one tick.
    private var closable: (dripping: [any LoopConnection], idle: [any LoopConnection])?
    /// Dripping connections that the budget knows of.
    private var dripping = 0
    private var stackWork = 0
    private var ticking: RepeatedTask?
    private var drained: EventLoopPromise<Void>?
    private var hasDrained = false
    private var isAborting = false

    init(
        _ source: any HitSource, _ stack: HTTPStack, _ limits: ConnectionLimits,
        _ counters: LoopCounters, _ budget: ConnectionBudget, on eventLoop: any EventLoop,
        uptime: @escaping @Sendable () -> UInt64
    ) {
        self.uptime = uptime
        self.budget = budget
        self.stack = stack
        self.limits = limits
        self.counters = counters
        self.eventLoop = eventLoop
        logger = stack.logger
        logsRequests = stack.access.showsHits(logger)
        time = .uptimeNanoseconds(uptime())
        hits = HitLookup(source)
    }

    /// Answers a request on an encrypted connection if it is a hit. Counts and logs it. Returns
    /// nil if it is not a hit.
    ///
    /// - Parameters:
    ///   - bytes: begin with the request.
    ///   - received: when the last of them arrived.
    ///   - send: gets the head, as in HTTP/1.1, the body, nil for none, and what to keep until that
    ///     is sent. The head is valid during the call.
    func answer<Result>(
        _ request: RequestScan.PlainRequest, _ bytes: UnsafeRawBufferPointer,
        received: NIODeadline, client: @autoclosure () -> String?,
        _ send: (
            _ head: UnsafeRawBufferPointer, _ body: ByteBuffer?, _ owner: PreparedHit
        ) -> Result
    ) -> Result? {
        defer { hits.settle() }
        guard let answer = hits.answer(request, bytes, at: hits.now()) else { return nil }
        let id = hits.id(of: request, bytes)
        if logsRequests {
            RequestLog(HitLogEntry(request, bytes, answer, id, client: client())).writeHit(logger)
        }
        counters.hits.count(answer)
        let prepared = answer.prepared
        let seconds = Double((NIODeadline.now() - received).nanoseconds) / 1e9
        if prepared.route == .picture {
            counters.recordLatency(
                seconds, fresh: answer.isStale ? 0 : 1, stale: answer.isStale ? 1 : 0)
        } else {
            counters.recordBlob(prepared.route, seconds, isStale: answer.isStale)
        }
        return send(hits.head(answer, id), answer.hasBody ? prepared.buffer : nil, prepared)
    }

    func start() {
        let loop = NIOLoopBound(self, eventLoop: eventLoop)
        ticking = eventLoop.scheduleRepeatedTask(initialDelay: limits.tick, delay: limits.tick) {
            _ in loop.value.tick()
        }
    }

    func opened(_ connection: any LoopConnection) {
        connections[ObjectIdentifier(connection)] = connection
        counters.hits.open.add()
        if isAborting { connection.abort() } else if drained != nil { connection.quiesce() }
    }

    func recordTimeOut() { counters.hits.timedOut.add() }

    func closed(_ connection: any LoopConnection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        counters.hits.open.add(-1)
        succeedIfDrained()
    }

    func began(_ handshake: any LoopConnection) {
        handshakes[ObjectIdentifier(handshake)] = handshake
        if isDraining { handshake.abort() }
    }

    func ended(_ handshake: any LoopConnection) {
        handshakes[ObjectIdentifier(handshake)] = nil
    }

    /// Counts work of the HTTP stack until the returned closure is called. The work can end later
    /// than its connection and needs the event loop until then.
    func beginStackWork() -> @Sendable () -> Void {
        stackWork += 1
        let loop = NIOLoopBound(self, eventLoop: eventLoop)
        return { [eventLoop] in
            eventLoop.execute {
                loop.value.stackWork -= 1
                loop.value.succeedIfDrained()
            }
        }
    }

    private func succeedIfDrained() {
        guard connections.isEmpty, stackWork == 0, let drained else { return }
        hasDrained = true
        drained.succeed()
    }

    /// Closes idle connections at once and the others after their response. Succeeds when none is
    /// left.
    func drain() -> EventLoopFuture<Void> {
        if let drained, !hasDrained { return drained.futureResult }
        hasDrained = false
        let promise = eventLoop.makePromise(of: Void.self)
        drained = promise
        for handshake in Array(handshakes.values) { handshake.abort() }
        for connection in Array(connections.values) { connection.quiesce() }
        succeedIfDrained()
        return promise.futureResult
    }

    var isDraining: Bool { drained != nil || isAborting }

    /// Closes every connection at once.
    func abort() {
        isAborting = true
        for handshake in Array(handshakes.values) { handshake.abort() }
        for connection in Array(connections.values) { connection.abort() }
    }

    func stop() {
        ticking?.cancel()
        ticking = nil
    }

    /// Closes that many connections, the longest dripping or idle ones first. They are sorted at
    /// most once a tick, so that the cost per connection doesn't depend on their number.
    func closeIdle(dripping drippingCount: Int, idle idleCount: Int) {
        var queue = closable ?? orderedClosable()
        var left = drippingCount
        while left > 0, let connection = queue.dripping.popLast() {
            guard connection.standing == .dripping else { continue }
            recordTimeOut()
            connection.abort()
            left -= 1
        }
        setDripping(max(0, dripping - (drippingCount - left)))
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

    private func setDripping(_ count: Int) {
        if count != dripping { budget.addDripping(count - dripping) }
        dripping = count
    }

    private func tick() {
        time = .uptimeNanoseconds(uptime())
        closable = nil
        logsRequests = stack.access.showsHits(logger)
        for connection in Array(connections.values) { connection.check() }
        for handshake in Array(handshakes.values) { handshake.check() }
        setDripping(
            connections.values.count { $0.standing == .dripping }
                + handshakes.values.count { $0.standing == .dripping })
        hits.sweep()
    }
}
