import CEpoll
import Glibc
import Logging
import NIOCore
import NIOPosix
import Pipeline
import Synchronization

/// The listening socket, the threads that answer hits on its connections, and the event loops for
/// everything else.
final class Listener: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let eventLoops: [any EventLoop]
    private let loops: [NIOLoopBound<ServingLoop>]
    private let pipeline: MediaPipeline
    private let configuration: ServerConfiguration
    private let budget: ConnectionBudget
    private let logger: Logger
    private let state = Mutex(State())

    private struct State {
        var socket: CInt?
        var threads: [HitThread] = []
        var next = 0
        var isStopped = false
    }

    /// Starts the event loops; `counters` has one for each.
    init(
        _ pipeline: MediaPipeline, _ slowPath: SlowPath, _ configuration: ServerConfiguration,
        _ counters: [LoopCounters]
    ) async throws {
        group = MultiThreadedEventLoopGroup(numberOfThreads: counters.count)
        let eventLoops = Array(group.makeIterator())
        self.eventLoops = eventLoops
        self.pipeline = pipeline
        self.configuration = configuration
        logger = slowPath.logger
        let budget = ConnectionBudget(
            limit: Descriptors.reserve(connections: configuration.maxConnections))
        self.budget = budget
        let limits = ConnectionLimits(configuration)
        var loops: [NIOLoopBound<ServingLoop>] = []
        for (eventLoop, counters) in zip(eventLoops, counters) {
            loops.append(
                try await eventLoop.submit {
                    let loop = ServingLoop(
                        pipeline, slowPath, limits, counters, budget, on: eventLoop)
                    loop.start()
                    return NIOLoopBound(loop, eventLoop: eventLoop)
                }.get())
        }
        self.loops = loops
    }

    /// Begins to accept connections, with a thread for each of `counters`; returns the port.
    /// `onFailure` is called when one of the threads can't go on.
    func bind(
        _ counters: [LoopCounters],
        onFailure: @escaping @Sendable (ServingFailure) -> Void
    ) async throws -> Int {
        let socket = try await listeningSocket()
        state.withLock { $0.socket = socket.descriptor }
        for counters in counters { try start(socket.descriptor, counters, onFailure) }
        if configuration.tls == nil {
            for (loop, eventLoop) in zip(loops, eventLoops) {
                try await eventLoop.submit { [self] in
                    loop.value.giveBack = { [self] in giveBack($0) }
                }.get()
            }
        }
        return socket.port
    }

    private func listeningSocket() async throws -> ListeningSocket {
        if let given = configuration.socket { return try ListeningSocket.adopt(given) }
        let (host, port) = (configuration.host, configuration.port)
        // Looking up a name can block.
        let address = try await NIOThreadPool.singleton.runIfActive {
            try SocketAddress.makeAddressResolvingHost(host, port: port)
        }
        return try ListeningSocket.open(address, backlog: configuration.backlog)
    }

    private func start(
        _ socket: CInt, _ counters: LoopCounters,
        _ onFailure: @escaping @Sendable (ServingFailure) -> Void
    ) throws {
        let thread = try HitThread(finished: group.next().makePromise())
        state.withLock { $0.threads.append(thread) }
        thread.ended.whenFailure { [logger] error in
            let failure = ServingFailure(cause: "\(error)")
            logger.critical("\(failure)")
            onFailure(failure)
        }
        let surroundings = HitLoop.Surroundings(
            limits: ConnectionLimits(configuration), isEncrypted: configuration.tls != nil,
            budget: budget, counters: counters, logger: logger,
            access: configuration.accessLog,
            precedence: Precedence(percent: configuration.hitPrecedence),
            handOver: { [self] in take($0) },
            takeReturned: { thread.takeReturned(isLast: false) },
            makeRoom: { [self] in makeRoom(dripping: $0, idle: $1) })
        let hits = pipeline
        try thread.start { wake throws(IOError) in
            try HitLoop(listener: socket, wake: wake, HitLookup(hits), surroundings)
        }
    }

    /// Returns when every connection has had its answer and is closed.
    func drain() async {
        await stopAccepting()
        await each { $0.drain() }
    }

    /// Ends every connection now.
    func abort() {
        state.withLock { state in
            guard !state.isStopped else { return }
            for thread in state.threads { _ = thread.stop() }
            for (loop, eventLoop) in zip(loops, eventLoops) {
                eventLoop.execute { loop.value.abort() }
            }
        }
    }

    /// Stops the threads and event loops; nothing may be open any more.
    func stop() async throws {
        await stopAccepting()
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
            // Why one ended that was not stopped has been told already.
            try? await thread.stop().get()
        }
        let socket = state.withLock { state in
            defer { state.socket = nil }
            return state.socket
        }
        if let socket { close(socket) }
    }

    private func each(
        _ body: @escaping @Sendable (ServingLoop) -> EventLoopFuture<Void>?
    ) async {
        for (loop, eventLoop) in zip(loops, eventLoops) {
            // Neither fails: the loops run until they are stopped.
            try? await eventLoop.flatSubmit {
                body(loop.value) ?? eventLoop.makeSucceededVoidFuture()
            }.get()
        }
    }

    /// Gives a connection to the next event loop.
    private func take(_ handover: Handover) {
        let index = state.withLock { state in
            state.next = (state.next + 1) % loops.count
            return state.next
        }
        let (loop, eventLoop, budget) = (loops[index], eventLoops[index], budget)
        let front = configuration.tls.map { TLSFront(identity: $0) }
        eventLoop.execute {
            let isChannel = NIOLoopBoundBox(false, eventLoop: eventLoop)
            ClientBootstrap(group: eventLoop)
                // A client may stop sending and still wait for its answer.
                .channelOption(.allowRemoteHalfClosure, value: true)
                .channelOption(.writeBufferWaterMark, value: BodyStream.watermark)
                .channelInitializer { channel in
                    isChannel.value = true
                    channel.closeFuture.whenComplete { _ in budget.give() }
                    return channel.eventLoop.makeCompletedFuture {
                        if let front {
                            try front.begin(channel, loop)
                        } else {
                            try channel.pipeline.syncOperations.addHandler(
                                FastPathHandler(loop.value, handover))
                        }
                    }
                }
                .withConnectedSocket(handover.socket)
                .whenFailure { _ in if !isChannel.value { budget.give() } }
        }
    }

    /// Gives a connection to a thread that answers hits.
    private func giveBack(_ socket: CInt) {
        let thread = state.withLock { $0.threads[Int(socket) % $0.threads.count] }
        thread.take(socket)
    }

    /// Which loop has those that drip is not known here; that more go than need to harms nobody.
    private func makeRoom(dripping: Int, idle: Int) {
        let each = (idle + loops.count - 1) / loops.count
        for (loop, eventLoop) in zip(loops, eventLoops) {
            eventLoop.execute { loop.value.makeRoom(dripping: dripping, idle: each) }
        }
    }
}

/// Why the service can't go on: a thread that accepts connections has ended.
package struct ServingFailure: Error, CustomStringConvertible {
    let cause: String

    package var description: String {
        "A thread that accepts connections has failed (\(cause)); the service ends, start it again."
    }
}
