import FoundationEssentials
import Glibc
import HTTP
import Hashing
import PlayedAPIs
import Synchronization

/// Answers requests by the table of paths.
final class DemoResponder: RequestResponder {
    private let routes: Routes
    private let faults: FaultInjector
    private let log: RequestLog?
    /// The second of the last response, as the field Date has it.
    private let date = Mutex((second: 0, text: ""))
    /// The host that takes POST; others are not asked. Its forms have some dozens of bytes.
    private static let postHost = SpotifyDocument.accountsHost
    private static let maxBodyBytes = 4_096

    init(routes: Routes, faults: FaultInjector, log: RequestLog? = nil) {
        self.routes = routes
        self.faults = faults
        self.log = log
    }

    func respond(_ request: IncomingRequest, _ work: RequestWork) async {
        do {
            try await respond(to: request.head, work)
        } catch {
            // The origin stopped during a delay.
            work.fail()
        }
    }

    func refuse(
        _ refusal: RequestRefusal, start: [UInt8], client: String?
    ) -> (head: ResponseHead, body: HeldBody) {
        let answer = DemoAnswer.html("400 Bad Request", status: 400)
        return (head(of: answer), HeldBody(answer.body))
    }

    /// - Throws: `CancellationError` if the client or the origin leaves during a delay.
    private func respond(to head: RequestHead, _ work: RequestWork) async throws {
        // HTTP/2's `:authority` and HTTP/1's `Host` alike; a port may follow.
        let given = (head.field("host") ?? "").prefix { $0 != ":" }.lowercased()
        let isHead = head.method == "HEAD"
        guard let host = routes.host(given) else {
            return send(.html("421 Misdirected Request", status: 421), isHead, work)
        }
        let isPost = head.method == "POST"
        guard ["GET", "HEAD"].contains(head.method) || isPost && host == Self.postHost else {
            return send(.html("405 Method Not Allowed", status: 405), isHead, work)
        }
        var asked = request(head, isPost: isPost, host: host)
        if isPost {
            switch await work.body(upTo: Self.maxBodyBytes) {
            case .whole(let bytes): asked.body = bytes
            case .tooLong:
                return send(.html("413 Content Too Large", status: 413), isHead, work)
            case .broken: return work.fail()
            }
        }
        log?.add(asked, host: given)
        if let fault = try await faults.next() { return send(fault, isHead, work) }
        send(await routes.answer(asked), isHead, work)
    }

    private func request(_ head: RequestHead, isPost: Bool, host: String) -> DemoRequest {
        let halves = head.target.split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var asked = DemoRequest(isPost: isPost, host: host, path: String(halves[0]))
        asked.take(query: halves.count > 1 ? String(halves[1]) : "")
        asked.accept = head.field("accept")
        asked.authorization = head.field("authorization")
        asked.ifNoneMatch = head.field("if-none-match")
        asked.ifModifiedSince = head.field("if-modified-since")
        return asked
    }

    private func send(_ answer: DemoAnswer, _ isHead: Bool, _ work: RequestWork) {
        work.respond(
            head(of: answer), HeldBody(isHead || answer.status == 304 ? [] : answer.body))
    }

    private func head(of answer: DemoAnswer) -> ResponseHead {
        var head = ResponseHead(
            status: answer.status, reason: Self.reasons[answer.status] ?? "")
        head.add("Date", now())
        for (name, value) in answer.fields.sorted(by: { $0.key < $1.key }) {
            head.add(name, value)
        }
        if answer.status != 304 {
            head.add("Content-Type", answer.contentType)
            head.add("Content-Length", String(answer.body.count))
        }
        return head
    }

    private static let reasons = [
        200: "OK", 206: "Partial Content", 301: "Moved Permanently", 302: "Found",
        303: "See Other", 304: "Not Modified", 400: "Bad Request", 401: "Unauthorized",
        403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 413: "Content Too Large",
        421: "Misdirected Request", 429: "Too Many Requests", 500: "Internal Server Error",
        503: "Service Unavailable",
    ]

    private func now() -> String {
        let second = time(nil)
        return date.withLock { date in
            if date.second != second {
                date = (second, HTTPDate.format(Date(timeIntervalSince1970: Double(second))))
            }
            return date.text
        }
    }
}

/// Writes a line for each request that arrives: nanoseconds since the log was opened, host, path and
/// query. Any thread.
final class RequestLog: Sendable {
    private let descriptor: Int32
    private let start = ContinuousClock.now

    init(_ path: String) throws(DemoOriginError) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .log(path: path, reason: String(cString: strerror(errno)))
        }
    }

    deinit { close(descriptor) }

    func add(_ request: DemoRequest, host: String) {
        let nanoseconds = (ContinuousClock.now - start) / .nanoseconds(1)
        let query = request.queryText.isEmpty ? "" : "?" + request.queryText
        var line = "\(Int(nanoseconds)) \(host) \(request.path)\(query)\n"
        // With one call, so that lines don't mix.
        line.withUTF8 { _ = write(descriptor, $0.baseAddress, $0.count) }
    }
}
