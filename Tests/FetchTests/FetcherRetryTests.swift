import Synchronization
import TestSupport
import Testing

@testable import Fetch

@Suite(.timeLimit(.minutes(1)))
struct FetcherRetryTests {
    @Test func `a 503 is retried, and the attempts are recorded`() async throws {
        let response = try await fetched(.status(503), .status(503), .ok([1])).response
        #expect(response.status == 200)
        #expect(response.attempts.map(\.status) == [503, 503, 200])
        #expect(response.attempts.last?.pause == .zero)
    }

    @Test(arguments: [408, 425, 429, 500, 502, 504])
    func `the fourth failed attempt is final`(status: Int) async throws {
        let seen = try await fetched(.html("busy", status: status))
        let response = try seen.response
        #expect(response.status == status)
        #expect(response.attempts.count == 4)
        #expect(response.body == Array("busy".utf8))
        #expect(seen.log.requests.count == 4)
    }

    static let breaks: [(String, OriginReply)] = [
        ("closed within the body", .ok(pattern(50_000)).cut(after: 20_000)),
        ("closed within a chunked body", .ok(pattern(50_000)).chunked().cut(after: 20_000)),
        ("reset within the body", .ok(pattern(50_000)).reset(after: 20_000)),
        ("closed before the body", .ok(pattern(50_000)).cut(after: 0)),
        ("shorter than declared", .ok([1, 2]).declaring(length: 3).cut(after: 2)),
        ("closed before the answer", .nothing),
    ]

    @Test(arguments: breaks.indices)
    func `a truncated response is retried`(index: Int) async throws {
        let (name, reply) = Self.breaks[index]
        let response = try await fetched(reply, .ok(pattern(50_000))).response
        #expect(response.body == pattern(50_000), "\(name)")
        #expect(response.attempts.count == 2)
        #expect(response.attempts.first?.failure?.hasPrefix("broke off") == true)
    }

    @Test func `a truncated body is never returned`() async throws {
        let error = try await fetched(.ok(pattern(50_000)).cut(after: 49_999)).error
        guard case .truncated? = error?.cause else { return miss("no truncation") }
        #expect(error?.host == "127.0.0.1")
        #expect(error?.attempts.count == 4)
    }

    @Test func `a response that is not HTTP is not retried`() async throws {
        let seen = try await fetched(.garbage())
        #expect(seen.error?.cause == .protocolError(reason: "it is not HTTP"))
        #expect(seen.error?.host == "127.0.0.1")
        #expect(seen.log.requests.count == 1)
    }

    @Test(arguments: [FetchRequest.Method.get, .put, .post])
    func `a used connection that fails before a response is replaced once`(
        method: FetchRequest.Method
    ) async throws {
        let origin = try await OriginServer.start()
        // Such as the body of a 304, which arrives when the next request was sent.
        origin.on("/", .status(304), .garbage(), .ok([1]), .garbage())
        let request = FetchRequest.original("\(origin.url)/").with { $0.method = method }
        try await withFetcher { fetcher in
            #expect(try await fetcher.fetch(.original("\(origin.url)/")).status == 304)
            guard method != .post else {
                let cause = await cause(of: request, with: fetcher)
                guard case .protocolError? = cause else { return miss("no protocol error") }
                return
            }
            let response = try await fetcher.fetch(request)
            #expect((response.status, response.attempts.count) == (200, 1))
            // On a new connection it is the host's response, such as it is.
            let connections = origin.log.requests.map(\.connection)
            #expect(connections.count == 3 && connections[0] == connections[1])
            #expect(connections[1] != connections[2])
        }
    }

    @Test func `a closed port is tried four times`() async throws {
        let origin = try await OriginServer.start()
        let url = origin.url
        await origin.stop()
        try await withFetcher { fetcher in
            let error = await failure(of: .original(url), with: fetcher)
            guard case .connectFailed? = error?.cause else {
                return miss("\(String(describing: error))")
            }
            #expect(error?.host == "127.0.0.1")
            #expect(error?.attempts.count == 4)
        }
    }

    @Test func `requests to an unreachable host are suspended`() async throws {
        let origin = try await OriginServer.start()
        await origin.stop()
        let configuration = FetchConfiguration.loopback.with {
            $0.breaker.threshold = 2
            $0.breaker.rest = .milliseconds(1)
            $0.breaker.maxRest = .seconds(60)
            $0.retry.attempts = 1
        }
        try await withFetcher(configuration) { fetcher in
            // Each rest is twice as long as the one before: soon a fetch falls into one.
            for _ in 0..<1_000 {
                switch await cause(of: .original(origin.url), with: fetcher) {
                case .resting: return
                case .connectFailed: break
                default: return miss("another failure")
                }
            }
            miss("the host never rested")
        }
    }

    @Test func `a name that doesn't resolve is reported`() async throws {
        // A label of 64 letters can't be asked for: the answer is the same without a network.
        let host = String(repeating: "a", count: 64) + ".invalid"
        try await withFetcher(.loopback.with { $0.retry.attempts = 1 }) { fetcher in
            let error = await failure(of: .original("http://\(host)/"), with: fetcher)
            #expect(error?.cause == .resolveFailed)
            #expect(error?.host == host)
        }
    }

    @Test func `Retry-After is waited for`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/", .status(503, headers: [("Retry-After", "7")]), .ok([1]))
        let pauses = Pauser()
        let fetcher = try Fetcher(.loopback, random: { 0.5 }, pause: pauses.pause)
        let response = try await fetcher.fetch(.original("\(origin.url)/"))
        await fetcher.shutdown()
        #expect(pauses.all == [.milliseconds(7_000.5)])
        #expect(response.attempts.map(\.pause) == [.milliseconds(7_000.5), .zero])
    }

    @Test(arguments: ["61", "Fri, 31 Dec 2100 23:59:59 GMT", "Friday, 31-Dec-60 23:59:59 GMT"])
    func `a response with a too long Retry-After is final`(value: String) async throws {
        let response = try await fetched(
            .status(503, headers: [("Retry-After", value)])
        ).response
        #expect(response.status == 503)
        #expect(response.attempts.count == 1)
    }

    @Test(arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "soon", "-5", "0", ""])
    func `a past or malformed Retry-After leads to the usual pause`(value: String) async throws {
        let response = try await fetched(
            .status(503, headers: [("Retry-After", value)]), .ok([1])
        ).response
        #expect(response.attempts.count == 2)
        #expect(response.attempts.allSatisfy { $0.pause < .milliseconds(2) })
    }

    @Test func `a 429 pauses all requests to its host`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/a", .status(429, headers: [("Retry-After", "30")]))
        origin.on("/b", .ok([1]))
        let pauses = Pauser(.canceled)
        let fetcher = try Fetcher(.loopback, random: { 0 }, pause: pauses.pause)
        _ = await cause(of: .original("\(origin.url)/a"), with: fetcher)
        let held = Task { await cause(of: .original("\(origin.url)/b"), with: fetcher) }
        await fetcher.shutdown()
        #expect(await held.value == .stopped)
        #expect(origin.log.count("/b") == 0)
    }

    @Test func `after a 429 with a long Retry-After its host is not asked`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/a", .status(429, headers: [("Retry-After", "900")]))
        origin.on("/b", .ok([1]))
        try await withFetcher(.loopback) { fetcher in
            let response = try? await fetcher.fetch(.original("\(origin.url)/a"))
            #expect(response?.status == 429)
            let error = await failure(of: .original("\(origin.url)/b"), with: fetcher)
            guard case .held(let left) = error?.cause else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(left <= .seconds(900))
        }
        #expect(origin.log.count("/b") == 0)
    }
}

/// Takes the place of a retry's pause: remembers it, and waits for nothing.
final class Pauser: Sendable {
    private let seen = Mutex<[Duration]>([])
    private let end: FetchError.Cause?

    init(_ end: FetchError.Cause? = nil) {
        self.end = end
    }

    var all: [Duration] { seen.withLock { $0 } }

    var pause: @Sendable (Duration) async -> FetchError.Cause? {
        { duration in
            self.seen.withLock { $0.append(duration) }
            return self.end
        }
    }
}
