import Testing
import Threads

@testable import Fetch

@Suite(.timeLimit(.minutes(1)))
struct RetryPolicyTests {
    private let policy: RetryPolicy = {
        var policy = RetryPolicy()
        policy.baseDelay = .milliseconds(100)
        policy.maxRetryAfter = .seconds(10)
        return policy
    }()

    @Test(arguments: [408, 425, 429, 500, 501, 502, 503, 504, 599])
    func `temporary statuses are retried`(status: Int) {
        #expect(RetryPolicy.isTemporary(status))
    }

    @Test(arguments: [200, 204, 206, 301, 304, 400, 401, 403, 404, 407, 410, 416, 451, 600])
    func `every other status is final`(status: Int) {
        #expect(!RetryPolicy.isTemporary(status))
    }

    @Test(
        arguments: [
            (.resolveFailed, true), (.connectFailed(reason: ""), true),
            (.tlsFailed(reason: ""), true), (.timedOut(connected: false), true),
            (.timedOut(connected: true), true), (.truncated(reason: ""), true),
            (.notTrusted(reason: ""), false), (.protocolError(reason: ""), false),
            (.addressRefused(host: "", address: "", reason: ""), false),
            (.tooLarge(limit: 1), false), (.resting(.zero), false), (.held(.zero), false),
            (.canceled, false), (.stopped, false), (.configuration(reason: ""), false),
            (.invalidURL(reason: ""), false), (.hostNotAllowed(host: ""), false),
            (.tooManyRedirects(limit: 1), false), (.redirectRefused(.post, to: ""), false),
        ] as [(FetchError.Cause, Bool)])
    func `temporary failures are retried`(cause: FetchError.Cause, again: Bool) {
        #expect(cause.isTemporary == again)
    }

    @Test(arguments: [(1, 100), (2, 200), (3, 400)])
    func `the upper bound of the pause doubles each time`(attempt: Int, edge: Int) {
        for random in [0, 0.25, 0.5, 0.999] {
            #expect(
                policy.pause(after: attempt, random: random) == .milliseconds(edge) * random)
        }
    }

    @Test func `no attempt follows the last one`() {
        #expect(policy.pause(after: 3, asked: .seconds(1), random: 0) == .seconds(1))
        #expect(policy.pause(after: 4, asked: .seconds(1), random: 0) == nil)
    }

    @Test func `Retry-After is the minimum pause, unless it exceeds the limit`() {
        #expect(policy.pause(after: 3, asked: .seconds(10), random: 0) == .seconds(10))
        #expect(policy.pause(after: 3, asked: .seconds(10), random: 0.5) == .milliseconds(10_050))
        #expect(policy.pause(after: 1, asked: .milliseconds(10_001), random: 0) == nil)
    }
}

struct RedirectPolicyTests {
    @Test(arguments: [
        (300, false), (301, true), (302, true), (303, true), (304, false), (305, false),
        (306, false), (307, true), (308, true), (200, false), (404, false),
    ])
    func `redirect statuses are recognized`(status: Int, leads: Bool) {
        #expect(RedirectPolicy.isRedirect(status) == leads)
    }

    @Test(
        arguments: [
            (301, .get, true, .get), (302, .get, false, .get), (307, .get, false, .get),
            (308, .head, false, .head), (303, .head, true, .head), (301, .post, false, .get),
            (302, .put, false, .get), (303, .delete, false, .get), (307, .post, true, .post),
            (308, .put, true, .put), (307, .post, false, nil), (308, .post, false, nil),
            (307, .delete, false, nil), (308, .purge, true, .purge), (308, .ban, false, nil),
        ] as [(Int, FetchRequest.Method, Bool, FetchRequest.Method?)])
    func `a redirect keeps its method, becomes a GET, or is refused`(
        status: Int, method: FetchRequest.Method, same: Bool, followed: FetchRequest.Method?
    ) {
        #expect(RedirectPolicy.method(after: status, method, sameOrigin: same) == followed)
    }
}

struct RequestHeadersTests {
    private func lines(_ fields: [(String, String)]) throws(FetchError.Cause) -> [String] {
        try RequestHeaders(
            FetchRequest.original("http://a.test/").with {
                $0.headers = fields.map { (name: $0.0, value: $0.1) }
            }
        ).lines(keepingSecrets: true).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `header fields are written in libcurl's form`() throws {
        #expect(
            try lines([("Accept", "image/*"), ("X-Empty", ""), ("X-Tab", "a\tb\u{e9}")])
                == ["Accept: image/*", "X-Empty;", "X-Tab: a\tb\u{e9}"])
    }

    @Test(arguments: [
        ("X", "a\r\nHost: b"), ("X", "a\nb"), ("X", "a\u{0}b"), ("X", "a\u{7f}"), ("X\r\nY", "a"),
        ("", "a"), ("X Y", "a"), ("X:", "a"), ("@file", "a"), ("Host", "b.test"),
        ("content-length", "1"), ("Transfer-Encoding", "chunked"), ("Accept-Encoding", "br"),
    ])
    func `header fields with line breaks are refused`(name: String, value: String) {
        #expect(throws: FetchError.Cause.self) { try lines([(name, value)]) }
    }

    @Test func `validators with line breaks are refused`() {
        #expect(throws: FetchError.Cause.self) {
            try RequestHeaders(
                FetchRequest.original("http://a.test/").with {
                    $0.validators = Validators(entityTag: "\"a\"\r\nX: y", lastModified: nil)
                })
        }
    }
}

struct ConfigurationTests {
    @Test(arguments: [
        "a.test:443:127.0.0.1:8443", "::127.0.0.1:8443", "a.test:443::", "[::1]:80:[fe80::1]:80",
        "a.test::b.test:",
    ])
    func `connect-to entries are accepted as libcurl accepts them`(entry: String) {
        #expect(FetchConfiguration.isConnectTo(entry))
    }

    @Test(arguments: [
        "", "a.test", "a.test:443", "a:443:b", "a:x:b:1", "a:1:b:2:3", "::1:80:b:1", "a b:1:c:2",
    ])
    func `other connect-to entries are refused`(entry: String) {
        #expect(throws: FetchError.self) {
            try Fetcher(FetchConfiguration().with { $0.connectTo = [entry] })
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct CeilingTests {
    private func policy(_ ceiling: HostPolicy?) -> HostPolicy {
        var configuration = FetchConfiguration()
        configuration.hosts = [
            (
                HostPattern("a"),
                HostPolicy(maxConcurrent: 4, rate: .init(count: 20, per: .seconds(10)))
            )
        ]
        configuration.ceiling = ceiling
        return configuration.policy(of: "a")
    }

    @Test func `a ceiling makes a host slower, never faster`() {
        let own = policy(nil)
        #expect(policy(HostPolicy(maxConcurrent: 9)) == own)
        let fast = HostPolicy.Rate(count: 3, per: .seconds(1))
        #expect(policy(HostPolicy(maxConcurrent: 9, rate: fast)) == own)
        let slow = HostPolicy.Rate(count: 1, per: .seconds(1))
        #expect(
            policy(HostPolicy(maxConcurrent: 2, rate: slow))
                == HostPolicy(maxConcurrent: 2, rate: slow))
    }
}

struct ValidatorsTests {
    @Test func `a validator that is too long is not kept`() {
        let tag = "\"\(String(repeating: "a", count: 1_000))\""
        #expect(Validators(entityTag: tag, lastModified: nil).entityTag == tag)
        let long = "\"\(String(repeating: "a", count: 60_000))\""
        #expect(Validators(entityTag: long, lastModified: long).isEmpty)
    }
}

/// Transfers of runs beside those that clients wait for.
@Suite(.timeLimit(.minutes(1))) struct HostUrgencyTests {
    private let start = ContinuousClock.now

    @Test func `what clients wait for starts before what runs have queued, at every host`() {
        var gate = HostGate(maxTransfers: 2) { _ in HostPolicy(maxConcurrent: 1) }
        let joined = Urgency()
        gate.enqueue(1, host: "a", urgency: Urgency())
        gate.enqueue(2, host: "a", urgency: joined)
        gate.enqueue(3, host: "a", share: "client", isBounded: true)
        gate.enqueue(11, host: "b", urgency: Urgency())
        gate.enqueue(21, host: "c", share: "client")
        func started() -> [UInt64] { gate.turn(at: start).start }
        // Two transfers may run, and the run of host b queued before the client of host c.
        #expect(started() == [3, 21])
        joined.raise()
        gate.finish(0, host: "a", .answered, at: start)
        #expect(started() == [2])
        gate.finish(0, host: "c", .answered, at: start)
        #expect(started() == [11])
        gate.finish(0, host: "a", .answered, at: start)
        #expect(started() == [1])
    }
}
