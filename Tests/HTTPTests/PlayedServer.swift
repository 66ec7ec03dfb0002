import CLinux
import Glibc
import Synchronization
import TestSupport

@testable import HTTP

/// A picture on a disk that answers when the test lets it.
final class PlayedRead: HitRead {
    private let onEnd = Mutex<(@Sendable () -> Void)?>(nil)
    let isStarted = Watched(false)

    func start(_ onEnd: @escaping @Sendable () -> Void) {
        self.onEnd.withLock { $0 = onEnd }
        isStarted.change { $0 = true }
    }

    func end() { onEnd.withLock { $0 }?() }
}

/// Has one picture, `/t/a`, until it is retired, and `/t/disk…` on a disk, each read once. Files at targets that end
/// with `/once` are for one response.
final class PlayedSource: HitSource {
    final class Body: Sendable {
        // nonisolated(unsafe) because the bytes never change.
        nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer

        init(_ text: String) {
            bytes = .allocate(byteCount: text.utf8.count, alignment: 1)
            bytes.copyBytes(from: text.utf8)
        }

        deinit { bytes.deallocate() }
    }

    private let prepared: PreparedHit
    private let retired = Atomic(0)
    private let bytes = Atomic(0)

    init() {
        let body = Body("picture")
        prepared = PreparedHit(
            body: UnsafeRawBufferPointer(body.bytes), owner: body, entityTag: Array("\"a\"".utf8),
            lastModified: [], fields: FieldLines(("ETag", "\"a\"")))
    }

    private let files = Mutex<[String: PlayedFile]>([:])

    /// Puts a file at a target such as `/b/1`.
    func serve(_ file: PlayedFile, at target: String) { files.withLock { $0[target] = file } }

    /// Has the file at a target no more.
    func forget(_ target: String) { files.withLock { $0[target] = nil } }

    private let documents = Mutex<[String: PreparedHit]>([:])
    /// The heads of the documents that were asked for.
    let documentHeads = Watched<[String]>([])

    /// Makes a document the response to requests that have that head besides what means nothing to it.
    func serve(_ document: String, to head: String) {
        let body = Body(document)
        let prepared = PreparedHit(
            .catalog, body: UnsafeRawBufferPointer(body.bytes), file: nil,
            byteCount: document.utf8.count, owner: body, entityTag: Array("\"d\"".utf8),
            lastModified: [], fields: FieldLines(("ETag", "\"d\"")))
        documents.withLock { $0[head] = prepared }
    }

    /// Called on the thread with each target that is looked up.
    let onFind = Mutex<(@Sendable (String) -> Void)?>(nil)

    private let reads = Mutex<[String: PlayedRead]>([:])

    /// Puts a picture on the disk.
    func store(_ target: String) -> PlayedRead {
        let read = PlayedRead()
        reads.withLock { $0[target] = read }
        return read
    }

    var charged: Int { bytes.load(ordering: .relaxed) }
    func retire() { retired.add(1, ordering: .relaxed) }

    let now = 1_000.0
    let count = 1
    let maxFilesOfTable = 4
    var retiredCount: Int { retired.load(ordering: .relaxed) }

    var headTexts: HeadTexts {
        HeadTexts(
            hit: FieldLines(("Cache-Status", "hit")), stale: FieldLines(("Cache-Status", "stale")),
            maxAge: Array("max-age=".utf8), staleness: Array(";".utf8), bounded: { "\($0) \($1)" },
            date: { FieldLines(("Date", "\($0)")) })
    }

    func representation(accept: UnsafeRawBufferPointer?) -> UInt8 { 0 }

    func significantCount(_ target: UnsafeRawBufferPointer, query: Int) -> Int? { query - 1 }

    func document(_ head: RequestHead) -> HitOffer? {
        let text = head.text
        documentHeads.change { $0.append(text) }
        return documents.withLock { $0[text] }.map {
            HitOffer(record: self, prepared: $0, isNegotiated: false, expires: nil)
        }
    }

    func find(
        _ target: UnsafeRawBufferPointer, _ representation: UInt8, needsBody: Bool,
        sendsFiles: Bool, after read: (any HitRead)?
    ) -> HitFinding {
        let text = String(decoding: target, as: UTF8.self)
        onFind.withLock { $0 }?(text)
        if let file = files.withLock({ $0[text] }) {
            let response = file.response(HitRoute(target) ?? .blob)
            if text.hasSuffix("/once") {
                return .once(
                    HitOffer(record: self, prepared: response, isNegotiated: false, expires: nil),
                    HitFreshness(isStale: false, secondsLeft: 1))
            }
            return .inMemory(
                HitOffer(record: self, prepared: response, isNegotiated: false, expires: nil))
        }
        if text.hasPrefix("/t/disk") {
            let played = reads.withLock { $0[text] }
            guard let played else { return .unknown }
            guard read === played || !needsBody else { return .waits(played) }
            return .once(
                HitOffer(record: self, prepared: prepared, isNegotiated: false, expires: nil),
                HitFreshness(isStale: true, secondsLeft: -3))
        }
        guard text == "/t/a", retiredCount == 0 else { return .unknown }
        return .inMemory(
            HitOffer(record: self, prepared: prepared, isNegotiated: false, expires: nil))
    }

    func isCurrent(_ record: AnyObject) -> Bool { retiredCount == 0 }
    func mayAnswer(_ record: AnyObject) -> Bool { isCurrent(record) }

    func use(_ record: AnyObject, negotiated: UInt8, at now: Double) -> HitFreshness {
        HitFreshness(isStale: false, secondsLeft: 7)
    }

    func charge(_ count: Int, to record: AnyObject) { bytes.add(count, ordering: .relaxed) }
}

extension RequestHead {
    /// As HTTP/1.1 writes it.
    var text: String {
        let lines = ["\(method) \(target) HTTP/1.1"] + fields.map { "\($0.name): \($0.value)" }
        return (lines + ["", ""]).joined(separator: "\r\n")
    }
}

/// Answers with 404 and the target as the body, or as the test says.
final class PlayedResponder: RequestResponder {
    typealias Answer = @Sendable (IncomingRequest, RequestWork) async -> Void

    /// The heads of the requests.
    let heads = Watched<[String]>([])
    let refusals = Watched<[RequestRefusal]>([])
    private let answer: Answer?

    init(_ answer: Answer? = nil) { self.answer = answer }

    func respond(_ request: IncomingRequest, _ work: RequestWork) async {
        heads.change { $0.append(request.head.text) }
        if let answer { return await answer(request, work) }
        Self.send(404, request.head.target, work)
    }

    static func send(_ status: Int, _ body: String, _ work: RequestWork) {
        var head = ResponseHead(status: status, reason: "")
        head.add("Content-Length", "\(body.utf8.count)")
        work.respond(head, HeldBody(Array(body.utf8)))
    }

    func refuse(
        _ refusal: RequestRefusal, start: [UInt8], client: String?
    ) -> (head: ResponseHead, body: HeldBody) {
        refusals.change { $0.append(refusal) }
        var head = ResponseHead(status: refusal == .overloaded ? 503 : 400, reason: "")
        head.add("Content-Length", "0")
        return (head, HeldBody([]))
    }
}

/// A thread with hits and a responder that the test scripts.
struct PlayedServer {
    let source = PlayedSource()
    let counters: HitCounters
    let responder: PlayedResponder
    /// Why TLS connections ended before their time.
    let faults = Watched<[TLSFault]>([])
    /// Names of clients that the certificate is not for.
    let otherNames = Watched<[String]>([])
    private let responders: ResponderBudget
    private let changes = Watched(0)
    private let sendLimit: Int

    /// - Parameters:
    ///   - places: requests that the responder has at a time.
    ///   - sendLimit: milliseconds in which a client may take next to nothing.
    init(
        places: Int = 100, sendLimit: Int = 600_000, _ answer: PlayedResponder.Answer? = nil
    ) {
        self.sendLimit = sendLimit
        responder = PlayedResponder(answer)
        responders = ResponderBudget(limit: places)
        counters = HitCounters(onChange: { [changes] in changes.change { $0 += 1 } })
    }

    /// A server with one file, `/b/1`.
    init(_ file: PlayedFile) {
        self.init()
        source.serve(file, at: "/b/1")
    }

    /// The counts of prepared responses.
    func prepared(_ route: HitRoute = .picture, isStale: Bool = false) -> HitCounters.Responses {
        counters.responses(route, isStale: isStale)
    }

    /// Returns when every connection is closed.
    func allClosed() async {
        _ = await changes.wait { [counters] _ in counters.open.now == 0 }
    }

    func context() -> ServerContext {
        ServerContext(
            limits: ServerContext.Limits(
                keepAlive: 600_000, head: 600_000, send: sendLimit, body: 600_000, minBodyRate: 0,
                linger: 1_000, maxLingerBytes: 4_096, dripGrace: 5_000,
                tick: min(1_000, sendLimit),
                maxHeadBytes: 4_096, maxTargetBytes: 1_024),
            budget: ConnectionBudget(limit: 400), counters: counters,
            reports: ServerContext.Reports(
                logsHits: { false }, logHit: { _ in }, acceptFailed: { _ in },
                tlsFailed: { [faults] fault in faults.change { $0.append(fault) } },
                otherName: { [otherNames] name in otherNames.change { $0.append(name) } }),
            responder: responder, responders: responders)
    }

    func serving(
        _ identity: TLSIdentity? = nil,
        _ body: (_ port: Int, ServerThread) async throws -> Void
    ) async throws {
        let socket = try ListeningSocket.open(host: "127.0.0.1", port: 0, backlog: 128)
        let thread = try ServerThread()
        try thread.start([ServerListener(socket.descriptor, identity)], source, context())
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(socket.port, thread))
        } catch {
            result = .failure(error)
        }
        thread.abort()
        _ = await thread.ended()
        await responders.allGiven()
        close(socket.descriptor)
        try result.get()
    }
}

/// Returns an eventfd, which the caller closes.
func vitrineEvent() -> CInt { vitrine_eventfd() }

/// A request of HTTP/1.1; `fields` end with CR LF each.
func get(_ path: String, _ fields: String = "", method: String = "GET") -> String {
    "\(method) \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
}

/// Returns the status that another client gets; nil without a response.
func status(of path: String, port: Int) async throws -> Int? {
    let client = try await RawConnection.open(port: port)
    try await client.send(get(path))
    return await client.answers(1).first?.status
}
