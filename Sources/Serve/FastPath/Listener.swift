import Glibc
import NIOCore
import NIOPosix
import Pipeline
import Synchronization

/// The listening socket and the event loops that its connections live on.
final class Listener: Sendable {
    private let isStopped = Mutex(false)
    private let group: MultiThreadedEventLoopGroup
    private let loops: [NIOLoopBound<ServingLoop>]
    private let eventLoops: [any EventLoop]
    private let configuration: ServerConfiguration

    /// Starts the event loops; `counters` has one for each.
    init(
        _ pipeline: MediaPipeline, _ slowPath: SlowPath, _ configuration: ServerConfiguration,
        _ counters: [LoopCounters]
    ) async throws {
        group = MultiThreadedEventLoopGroup(numberOfThreads: counters.count)
        let eventLoops = Array(group.makeIterator())
        self.eventLoops = eventLoops
        self.configuration = configuration
        let limits = ConnectionLimits(configuration)
        var loops: [NIOLoopBound<ServingLoop>] = []
        for (eventLoop, counters) in zip(eventLoops, counters) {
            loops.append(
                try await eventLoop.submit {
                    let loop = ServingLoop(pipeline, slowPath, limits, counters, on: eventLoop)
                    loop.start()
                    return NIOLoopBound(loop, eventLoop: eventLoop)
                }.get())
        }
        self.loops = loops
    }

    /// Begins to accept connections.
    func bind() async throws -> any Channel {
        let limit = Self.reserveDescriptors(configuration.maxConnections)
        let loopOf = Dictionary(
            uniqueKeysWithValues: zip(eventLoops.map { ObjectIdentifier($0) }, loops))
        let (loops, eventLoops) = (loops, eventLoops)
        return try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: Int32(configuration.backlog))
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.maxMessagesPerRead, value: 16)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let gate = AcceptGate(limit: limit) { count in
                        let each = (count + loops.count - 1) / loops.count
                        for (loop, eventLoop) in zip(loops, eventLoops) {
                            eventLoop.execute { loop.value.closeIdle(atMost: each) }
                        }
                    }
                    try channel.pipeline.syncOperations.addHandler(gate)
                }
            }
            // A client may stop sending and still wait for its answer.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let loop = loopOf[ObjectIdentifier(channel.eventLoop)] else {
                        throw ChannelError.inappropriateOperationForState
                    }
                    try channel.pipeline.syncOperations.addHandler(FastPathHandler(loop.value))
                }
            }
            .bind(host: configuration.host, port: configuration.port).get()
    }

    /// Returns when every connection has had its answer and is closed.
    func drain() async {
        await each { $0.drain() }
    }

    /// Ends every connection now.
    func abort() {
        isStopped.withLock { isStopped in
            guard !isStopped else { return }
            for (loop, eventLoop) in zip(loops, eventLoops) {
                eventLoop.execute { loop.value.abort() }
            }
        }
    }

    /// Stops the event loops; nothing may be open any more.
    func stop() async throws {
        isStopped.withLock { $0 = true }
        await each { loop in
            loop.stop()
            return nil
        }
        try await group.shutdownGracefully()
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

    /// Raises the process's limit of open files for so many connections beside what the rest needs;
    /// returns how many there can be.
    private static func reserveDescriptors(_ connections: Int) -> Int {
        let reserve = 1_024
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return connections
        }
        let wanted = rlim_t(connections + reserve)
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = min(wanted, limit.rlim_max)
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 {
                limit = raised
            }
        }
        let there = Int(clamping: limit.rlim_cur)
        return min(connections, max(there - reserve, there / 2, 1))
    }
}
