import Foundation
import HTTP

/// The sockets and threads of the demo's origin.
final class DemoServer: Sendable {
    let port: Int
    private let socket: CInt
    private let threads: [ServerThread]

    /// Time that responses under way get at the end.
    private static let patience = Duration.seconds(2)

    /// Listens on 127.0.0.1.
    ///
    /// - Parameter tls: nil for HTTP without encryption.
    init(port: Int, _ tls: TLSIdentity?, _ responder: DemoResponder) throws(SystemError) {
        let socket = try ListeningSocket.open(host: "127.0.0.1", port: port, backlog: 1_024)
        self.port = socket.port
        self.socket = socket.descriptor
        let limits = ServerContext.Limits(
            keepAlive: 600_000, head: 60_000, send: 60_000, body: 60_000, minBodyRate: 1,
            linger: 2_000, maxLingerBytes: 1 << 20, dripGrace: 5_000, tick: 1_000,
            maxHeadBytes: 64 << 10, maxTargetBytes: 32 << 10)
        // Loads of a benchmark have some thousands at once.
        let (budget, responders) = (
            ConnectionBudget(limit: 20_000), ResponderBudget(limit: 100_000)
        )
        let listener = ServerListener(socket.descriptor, tls)
        var threads: [ServerThread] = []
        for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
            let context = ServerContext(
                limits: limits, budget: budget, counters: HitCounters(), reports: .none,
                responder: responder, responders: responders)
            let thread = try ServerThread()
            try thread.start([listener], NoHits(), context)
            threads.append(thread)
        }
        self.threads = threads
    }

    /// Finishes the responses under way, for at most two seconds.
    func stop() async {
        for thread in threads { thread.stop() }
        for thread in threads { await thread.stoppedAccepting() }
        close(socket)
        let late = Task { [threads] in
            try await Task.sleep(for: Self.patience)
            for thread in threads { thread.abort() }
        }
        for thread in threads { _ = await thread.ended() }
        late.cancel()
    }
}

extension ServerContext.Reports {
    fileprivate static let none = ServerContext.Reports(
        logsHits: { false }, logHit: { _ in }, acceptFailed: { _ in })
}

/// Has nothing, so that the responder answers every request.
private final class NoHits: HitSource {
    let now = 0.0
    let count = 0
    let maxFilesOfTable = 0
    let retiredCount = 0
    let headTexts = HeadTexts(
        hit: FieldLines(), stale: FieldLines(), maxAge: [], staleness: [],
        bounded: { _, _ in "" }, date: { _ in FieldLines() })

    func representation(accept: UnsafeRawBufferPointer?) -> UInt8 { 0 }

    func significantCount(_ target: UnsafeRawBufferPointer, query: Int) -> Int? { nil }

    func find(
        _ target: UnsafeRawBufferPointer, _ representation: UInt8, needsBody: Bool,
        sendsFiles: Bool, after read: (any HitRead)?
    ) -> HitFinding { .unknown }

    func document(_ head: RequestHead) -> HitOffer? { nil }

    func isCurrent(_ record: AnyObject) -> Bool { false }
    func mayAnswer(_ record: AnyObject) -> Bool { false }

    func use(_ record: AnyObject, negotiated: UInt8, at now: Double) -> HitFreshness {
        HitFreshness(isStale: false, secondsLeft: 0)
    }

    func charge(_ bytes: Int, to record: AnyObject) {}
}
