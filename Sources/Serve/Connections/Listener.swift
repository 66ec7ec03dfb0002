import Dispatch
import Glibc
import HitServer
import Logging
import NIOCore
import NIOPosix
import Pipeline
import Synchronization

/// The listening socket, the threads for its connections, and the event loops for encrypted ones.
final class Listener: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let eventLoops: [any EventLoop]
    private let loops: [NIOLoopBound<ServingLoop>]
    private let source: any HitSource
    private let stack: HTTPStack
    private let responders: ResponderBudget
    private let configuration: ServerConfiguration
    private let budget: ConnectionBudget
    private let logger: Logger
    private let access: AccessLog
    private let state = Mutex(State())

    /// Requests of responders that no admission queue counts, such as documents and probes.
    private static let otherRequests = 1_000

    private struct State {
        var socket: CInt?
        var threads: [ServerThread] = []
        var next = 0
        var isStopped = false
    }

    /// Starts an event loop for each of `counters`.
    init(
        _ pipeline: MediaPipeline, _ stack: HTTPStack, _ configuration: ServerConfiguration,
        _ counters: [LoopCounters]
    ) async throws {
        group = MultiThreadedEventLoopGroup(numberOfThreads: counters.count)
        let eventLoops = Array(group.makeIterator())
        self.eventLoops = eventLoops
        let source = PipelineHits(
            pipeline, bodyBytes: configuration.responseBytes / ServerConfiguration.hitBodiesShare,
            configuration.offer, responder: stack.responder)
        self.source = source
        access = stack.access
        self.stack = stack
        responders = ResponderBudget(
            limit: pipeline.configuration.load.waitingRequests + Self.otherRequests)
        self.configuration = configuration
        logger = stack.logger
        let budget = ConnectionBudget(limit: configuration.maxConnections)
        self.budget = budget
        let limits = ConnectionLimits(configuration)
        var loops: [NIOLoopBound<ServingLoop>] = []
        for (eventLoop, counters) in zip(eventLoops, counters) {
            loops.append(
                try await eventLoop.submit {
                    let loop = ServingLoop(
                        source, stack, limits, counters, budget, on: eventLoop,
                        uptime: configuration.uptime ?? { DispatchTime.now().uptimeNanoseconds })
                    loop.start()
                    return NIOLoopBound(loop, eventLoop: eventLoop)
                }.get())
        }
        self.loops = loops
    }

    /// Starts to accept connections with a thread for each of `counters`. Returns the port.
    ///
    /// - Parameter onFailure: called if one of the threads fails.
    /// - Throws: ``ServingFailure/socket(_:)`` if the socket can't be opened.
    func bind(
        _ counters: [LoopCounters],
        onFailure: @escaping @Sendable (ServingFailure) -> Void
    ) async throws -> Int {
        let socket = try await listeningSocket()
        state.withLock { $0.socket = socket.descriptor }
        for counters in counters { try start(socket.descriptor, counters, onFailure) }
        return socket.port
    }

    private func listeningSocket() async throws -> ListeningSocket {
        do {
            if let given = configuration.socket { return try ListeningSocket.adopt(given) }
            let (host, port) = (configuration.host, configuration.port)
            // Looking up a name can block.
            return try await NIOThreadPool.singleton.runIfActive { [configuration] in
                try ListeningSocket.open(host: host, port: port, backlog: configuration.backlog)
            }
        } catch let error as SystemError {
            throw ServingFailure.socket(error.code)
        }
    }

    private func start(
        _ socket: CInt, _ counters: LoopCounters,
        _ onFailure: @escaping @Sendable (ServingFailure) -> Void
    ) throws {
        let thread = try ServerThread()
        let context = ServerContext(
            limits: ConnectionLimits(configuration).engine, budget: budget, counters: counters.hits,
            reports: reports(counters), responder: stack, responders: responders,
            uptime: configuration.uptime, takeEncrypted: { [self] in take($0) },
            closeIdle: { [self] in closeIdle(dripping: $0, idle: $1) })
        let listener = ServerListener(socket, isEncrypted: configuration.tls != nil)
        try thread.start([listener], source, context) { [logger] error in
            let failure = ServingFailure.thread(cause: "\(error)")
            logger.critical("\(failure)")
            onFailure(failure)
        }
        state.withLock { $0.threads.append(thread) }
    }

    private func reports(_ counters: LoopCounters) -> ServerContext.Reports {
        let (logger, access) = (logger, access)
        return ServerContext.Reports(
            logsHits: { access.showsHits(logger) },
            logHit: { RequestLog($0).writeHit(logger) },
            recordLatency: { counters.recordLatency($0, fresh: $1, stale: $2) },
            recordBlob: { counters.recordBlob($0, $1, isStale: $2) },
            acceptFailed: { error in
                logger.error(
                    "A thread can't accept connections; it keeps trying.",
                    metadata: ["error": "\(error)"])
            })
    }

    /// Returns when every connection has had its response and is closed.
    func drain() async {
        for thread in state.withLock({ $0.threads }) { thread.stop() }
        async let idle: Void = each { $0.drain() }
        await stopAccepting()
        await idle
        // Connections that the event loops took over meanwhile.
        await each { $0.drain() }
        await responders.allGiven()
    }

    /// Closes every connection at once.
    func abort() {
        state.withLock { state in
            guard !state.isStopped else { return }
            for thread in state.threads { thread.abort() }
            for (loop, eventLoop) in zip(loops, eventLoops) {
                eventLoop.execute { loop.value.abort() }
            }
        }
    }

    /// Stops the threads and event loops once all connections are closed.
    func stop() async throws {
        await stopAccepting()
        await responders.allGiven()
        state.withLock { $0.isStopped = true }
        await each { loop in
            loop.stop()
            return nil
        }
        try await group.shutdownGracefully()
    }

    private func stopAccepting() async {
        let threads = state.withLock { $0.threads }
        for thread in threads {
            thread.stop()
            await thread.stoppedAccepting()
        }
        // So that further clients are refused while the responses under way are finished.
        let socket = state.withLock { state in
            defer { state.socket = nil }
            return state.socket
        }
        if let socket { close(socket) }
        // A failure has been reported already.
        for thread in threads { _ = await thread.ended() }
    }

    private func each(
        _ body: @escaping @Sendable (ServingLoop) -> EventLoopFuture<Void>?
    ) async {
        for (loop, eventLoop) in zip(loops, eventLoops) {
            // Neither call fails, because the loops run until they are stopped.
            try? await eventLoop.flatSubmit {
                body(loop.value) ?? eventLoop.makeSucceededVoidFuture()
            }.get()
        }
    }

    /// Takes an encrypted connection over, on the next event loop.
    private func take(_ socket: CInt) {
        let index = state.withLock { state in
            state.next = (state.next + 1) % loops.count
            return state.next
        }
        let (loop, eventLoop, budget) = (loops[index], eventLoops[index], budget)
        guard let identity = configuration.tls else { return }
        let front = TLSFront(identity: identity)
        eventLoop.execute {
            let isChannel = NIOLoopBoundBox(false, eventLoop: eventLoop)
            ClientBootstrap(group: eventLoop)
                // A client may stop sending and still wait for its response.
                .channelOption(.allowRemoteHalfClosure, value: true)
                .channelOption(.writeBufferWaterMark, value: BodyStream.watermark)
                .channelInitializer { channel in
                    isChannel.value = true
                    channel.closeFuture.whenComplete { _ in budget.give() }
                    return channel.eventLoop.makeCompletedFuture {
                        try front.begin(channel, loop)
                    }
                }
                .withConnectedSocket(socket)
                .whenFailure { _ in if !isChannel.value { budget.give() } }
        }
    }

    /// Every loop may close that many dripping connections, because it is not known here which loop
    /// has them. Closing more than needed does no harm.
    private func closeIdle(dripping: Int, idle: Int) {
        let each = (idle + loops.count - 1) / loops.count
        for (loop, eventLoop) in zip(loops, eventLoops) {
            eventLoop.execute { loop.value.closeIdle(dripping: dripping, idle: each) }
        }
    }
}
