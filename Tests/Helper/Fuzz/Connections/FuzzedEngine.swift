import Glibc
import HTTP
import TestSupport

/// The engine on a thread of its own, in front of two prepared pictures and a responder that reads
/// bodies. One port is plain, the other encrypted.
final class FuzzedEngine: Sendable {
    let plainPort: Int
    let securePort: Int
    /// What clients of the encrypted port trust.
    let authority: CertificateAuthority
    private let counters: HitCounters
    private let changes = Watched(0)
    private let responders = ResponderBudget(limit: 100)
    private let sockets: [CInt]
    private let thread: ServerThread

    init() throws {
        let plain = try ListeningSocket.open(host: "127.0.0.1", port: 0, backlog: 64)
        let secure = try ListeningSocket.open(host: "127.0.0.1", port: 0, backlog: 64)
        (plainPort, securePort) = (plain.port, secure.port)
        sockets = [plain.descriptor, secure.descriptor]
        authority = try CertificateAuthority()
        let issued = try authority.issue(names: ["localhost"])
        let identity = try TLSIdentity(
            certificateText: issued.certificate, keyText: issued.key, offersHTTP2: true)
        counters = HitCounters { [changes] in changes.change { $0 += 1 } }
        thread = try ServerThread()
        let context = ServerContext(
            limits: ServerContext.Limits(
                keepAlive: 60_000, head: 60_000, send: 60_000, body: 60_000, minBodyRate: 0,
                linger: 100, maxLingerBytes: 64 << 10, dripGrace: 5_000, tick: 20,
                maxHeadBytes: 16 << 10, maxTargetBytes: 4 << 10),
            budget: ConnectionBudget(limit: 100), counters: counters,
            reports: ServerContext.Reports(
                logsHits: { false }, logHit: { _ in }, acceptFailed: { _ in }),
            responder: LengthResponder(), responders: responders)
        try thread.start(
            [ServerListener(plain.descriptor), ServerListener(secure.descriptor, identity)],
            TwoPictures(), context)
    }

    /// Returns once no client has a connection, and no task a request.
    func allClosed() async {
        _ = await changes.wait { [counters] _ in counters.open.now == 0 }
        await responders.allGiven()
    }

    func stop() async {
        thread.stop()
        _ = await thread.ended()
        for socket in sockets { close(socket) }
    }
}

/// Has `/t/a` and `/b/1`, a small picture and one that no socket takes at once.
private final class TwoPictures: HitSource {
    private final class Body: Sendable {
        // nonisolated(unsafe) because the bytes never change.
        nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer

        init(count: Int) {
            bytes = .allocate(byteCount: count, alignment: 1)
            for index in 0..<count { bytes[index] = UInt8(truncatingIfNeeded: index) }
        }

        deinit { bytes.deallocate() }
    }

    private let small = TwoPictures.response(.picture, count: 300)
    private let large = TwoPictures.response(.blob, count: 6 << 20)
    let now = 1_000.0
    let count = 2
    let maxFilesOfTable = 0
    let retiredCount = 0
    let headTexts = HeadTexts(
        hit: FieldLines(("Cache-Status", "hit")), stale: FieldLines(("Cache-Status", "stale")),
        maxAge: Array("max-age=".utf8), staleness: [], bounded: { "\($0) \($1)" },
        date: { FieldLines(("Date", "\($0)")) })

    private static func response(_ route: HitRoute, count: Int) -> PreparedHit {
        let body = Body(count: count)
        return PreparedHit(
            route, body: UnsafeRawBufferPointer(body.bytes), file: nil, byteCount: count,
            owner: body, entityTag: Array("\"a\"".utf8), lastModified: [],
            fields: FieldLines(("ETag", "\"a\"")))
    }

    func find(
        _ target: UnsafeRawBufferPointer, _ representation: UInt8, needsBody: Bool,
        sendsFiles: Bool, after read: (any HitRead)?
    ) -> HitFinding {
        let prepared: PreparedHit
        switch String(decoding: target, as: UTF8.self) {
        case "/t/a": prepared = small
        case "/b/1": prepared = large
        default: return .unknown
        }
        return .inMemory(
            HitOffer(record: prepared, prepared: prepared, isNegotiated: false, expires: nil))
    }

    func use(_ record: AnyObject, negotiated: UInt8, at now: Double) -> HitFreshness {
        HitFreshness(isStale: false, secondsLeft: 7)
    }

    func representation(accept: UnsafeRawBufferPointer?) -> UInt8 { 0 }
    func significantCount(_ target: UnsafeRawBufferPointer, query: Int) -> Int? { query - 1 }
    func document(_ head: RequestHead) -> HitOffer? { nil }
    func isCurrent(_ record: AnyObject) -> Bool { true }
    func mayAnswer(_ record: AnyObject) -> Bool { true }
    func charge(_ bytes: Int, to record: AnyObject) {}
}

/// Answers with the number of bytes of the body, or in pieces if there is none.
private struct LengthResponder: RequestResponder {
    func respond(_ request: IncomingRequest, _ work: RequestWork) async {
        switch await work.body(upTo: 32 << 10) {
        case .whole(let body) where body.isEmpty: await sendPieces(work)
        case .whole(let body): send(200, "\(body.count)", work)
        case .tooLong: send(413, "too long", work)
        case .broken: work.fail()
        }
    }

    private func send(_ status: Int, _ text: String, _ work: RequestWork) {
        var head = ResponseHead(status: status, reason: "")
        head.add("Content-Length", "\(text.utf8.count)")
        work.respond(head, HeldBody(Array(text.utf8)))
    }

    private func sendPieces(_ work: RequestWork) async {
        let piece = [UInt8](repeating: UInt8(ascii: "p"), count: 10_000)
        var head = ResponseHead(status: 200, reason: "OK")
        head.add("Content-Length", "\(3 * piece.count)")
        work.begin(head, hasLength: true)
        for number in 1...3 {
            guard await work.write(piece, isLast: number == 3) else { return work.fail() }
        }
    }

    func refuse(
        _ refusal: RequestRefusal, start: [UInt8], client: String?
    ) -> (head: ResponseHead, body: HeldBody) {
        var head = ResponseHead(status: refusal == .overloaded ? 503 : 400, reason: "")
        head.add("Content-Length", "0")
        return (head, HeldBody([]))
    }
}
