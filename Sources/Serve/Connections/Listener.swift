import Glibc
import HTTP
import Logging
import Memory
import Pipeline
import Synchronization
import Threads

/// The listening socket, and the threads for its connections.
final class Listener: Sendable {
    private let source: any HitSource
    private let stack: HTTPStack
    private let responders: ResponderBudget
    private let configuration: ServerConfiguration
    private let budget: ConnectionBudget
    private let state = Mutex(State())

    /// Requests of responders that no admission queue counts, such as documents and probes.
    private static let otherRequests = 1_000

    private struct State {
        var socket: CInt?
        var threads: [ServerThread] = []
    }

    init(_ pipeline: MediaPipeline, _ stack: HTTPStack, _ configuration: ServerConfiguration) {
        source = PipelineHits(
            pipeline, bodyBytes: configuration.responseBytes / ServerConfiguration.hitBodiesShare,
            configuration.offer, routes: configuration.routes, responders: stack.responders,
            tables: configuration.threadCount)
        self.stack = stack.listening(configuration)
        responders = ResponderBudget(
            limit: pipeline.configuration.load.waitingRequests + Self.otherRequests)
        self.configuration = configuration
        budget = ConnectionBudget(limit: configuration.maxConnections)
        if configuration.offer.hasPictures {
            pipeline.pictures.lendFiles(Room.Lender(take: budget.lend, give: budget.takeBack))
        }
    }

    /// Starts to accept connections with a thread for each of `counters`. Returns the port.
    ///
    /// - Parameter onFailure: called if one of the threads fails.
    /// - Throws: ``ServingFailure/socket(_:_:)`` if the socket can't be opened.
    func bind(
        _ counters: [HitCounters],
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
            let backlog = configuration.backlog
            return try await FileThreads.run {
                try ListeningSocket.open(host: host, port: port, backlog: backlog)
            }
        } catch let error as SystemError {
            throw ServingFailure.socket(
                error.code, ListenAddress(host: configuration.host, port: configuration.port))
        }
    }

    private func start(
        _ socket: CInt, _ counters: HitCounters,
        _ onFailure: @escaping @Sendable (ServingFailure) -> Void
    ) throws {
        let thread = try ServerThread()
        let context = ServerContext(
            limits: ServerContext.Limits(configuration), budget: budget, counters: counters,
            reports: reports, responder: stack, responders: responders,
            uptime: configuration.uptime)
        let listener = ServerListener(socket, configuration.tls)
        try thread.start([listener], source, context) { [logger = stack.logger] error in
            let failure = ServingFailure.thread(cause: "\(error)")
            logger.critical("\(failure)")
            onFailure(failure)
        }
        state.withLock { $0.threads.append(thread) }
    }

    private var reports: ServerContext.Reports {
        let (logger, access) = (stack.logger, stack.access)
        return ServerContext.Reports(
            logsHits: { access.showsHits(logger) },
            logHit: { RequestLog($0).writeHit(logger) },
            acceptFailed: { error in
                logger.error(
                    "A thread can't accept connections; it keeps trying.",
                    metadata: ["error": "\(error)"])
            },
            tlsFailed: { fault in
                // An operator or a client has the wrong address. The others are the clients' own.
                logger.log(level: fault == .plainHTTP ? .notice : .debug, "\(fault)")
            },
            otherName: { name in
                logger.info(
                    "A client asked for a name that the certificate is not for.",
                    metadata: ["name": "\(name)"])
            })
    }

    /// Closes every connection at once.
    func abort() {
        for thread in state.withLock({ $0.threads }) { thread.abort() }
    }

    /// Stops the threads. Returns once all connections are closed.
    func stop() async {
        let threads = state.withLock { $0.threads }
        for thread in threads { thread.stop() }
        for thread in threads { await thread.stoppedAccepting() }
        // So that further clients are refused while the responses under way are finished.
        let socket = state.withLock { state in
            defer { state.socket = nil }
            return state.socket
        }
        if let socket {
            // A child that is being started has a copy, so the kernel would accept more clients. A socket of
            // a service manager stays open for the next run.
            if configuration.socket == nil { _ = shutdown(socket, CInt(SHUT_RDWR)) }
            close(socket)
        }
        // A failure has been reported already.
        for thread in threads { _ = await thread.ended() }
        await responders.allGiven()
    }
}

extension ServerContext.Limits {
    /// Limits for clients that are slow, idle or ask for too much.
    init(_ configuration: ServerConfiguration) {
        func milliseconds(_ time: Duration) -> Int { Int(time / .milliseconds(1)) }
        let keepAlive = milliseconds(configuration.keepAliveTimeout)
        let head = milliseconds(configuration.headerTimeout)
        let send = milliseconds(configuration.sendTimeout)
        let body = milliseconds(configuration.bodyTimeout)
        let linger = milliseconds(configuration.lingerTimeout)
        self.init(
            keepAlive: keepAlive, head: head, send: send, body: body,
            minBodyRate: configuration.minBodyRate, linger: linger,
            maxLingerBytes: configuration.maxLingerBytes,
            // Most requests and handshakes arrive in a few packets, but a busy machine takes its
            // time to read them.
            dripGrace: min(head / 4, 5_000),
            // An eighth of the shortest limit, so that limits are exceeded by little.
            tick: min(max(min(keepAlive, head, send, body, linger) / 8, 5), 1_000),
            maxHeadBytes: configuration.maxHeaderBytes, maxTargetBytes: configuration.maxTargetBytes
        )
    }
}

/// Why the server can't serve.
package enum ServingFailure: Error, CustomStringConvertible {
    /// A listening socket can't be opened. The code is a value of `errno`.
    case socket(CInt, ListenAddress)
    /// A thread that accepts connections has failed.
    case thread(cause: String)

    package var description: String {
        switch self {
        case .socket(let code, let address):
            "Listening on \(address) failed: \(String(cString: strerror(code)))."
        case .thread(let cause):
            "A thread that accepts connections has failed (\(cause)). The service ends; start it again."
        }
    }
}
