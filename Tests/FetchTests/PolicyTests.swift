import Testing

@testable import Fetch

@Suite(.timeLimit(.minutes(1)))
struct RetryPolicyTests {
    private let policy: RetryPolicy = {
        var policy = RetryPolicy()
        policy.baseDelay = .milliseconds(100)
        policy.maxDelay = .milliseconds(350)
        policy.maxRetryAfter = .seconds(10)
        return policy
    }()

    @Test(arguments: [408, 425, 429, 500, 501, 502, 503, 504, 599])
    func `temporary statuses are retried`(status: Int) {
        let end = AttemptEnd(status: status, retryAfter: nil)
        #expect(policy.decision(after: end, attempt: 1, random: 1) == .pause(.milliseconds(100)))
    }

    @Test(arguments: [200, 204, 206, 301, 304, 400, 401, 403, 404, 407, 410, 416, 451, 600])
    func `every other status is final`(status: Int) {
        let end = AttemptEnd(status: status, retryAfter: .seconds(1))
        #expect(policy.decision(after: end, attempt: 1, random: 1) == .stop)
    }

    @Test(
        arguments: [
            (.resolve, true), (.connect(reason: ""), true), (.handshake(reason: ""), true),
            (.timeout(.connecting), true), (.timeout(.answering), true),
            (.truncated(reason: ""), true),
            (.certificate(reason: ""), false), (.malformed(reason: ""), false),
            (.refused(.v4(0), reason: ""), false), (.tooLarge(limit: 1), false),
            (.resting(.zero), false), (.canceled, false), (.stopped, false),
            (.configuration(reason: ""), false),
        ] as [(TransferFailure, Bool)])
    func `temporary failures are retried`(failure: TransferFailure, again: Bool) {
        let decision = policy.decision(
            after: AttemptEnd(failure: failure), attempt: 1, random: 0)
        #expect(decision == (again ? .pause(.zero) : .stop))
    }

    @Test(arguments: [(1, 100), (2, 200), (3, 350)])
    func `the upper bound of the pause doubles up to its limit`(attempt: Int, edge: Int) {
        let end = AttemptEnd(status: 500, retryAfter: nil)
        for random in [0, 0.25, 0.5, 0.999] {
            #expect(
                policy.decision(after: end, attempt: attempt, random: random)
                    == .pause(.milliseconds(edge) * random))
        }
    }

    @Test func `no attempt follows the last one`() {
        let end = AttemptEnd(status: 500, retryAfter: .seconds(1))
        #expect(policy.decision(after: end, attempt: 4, random: 0) == .stop)
    }

    @Test func `Retry-After is the minimum pause, unless it exceeds the limit`() {
        let asked = AttemptEnd(status: 429, retryAfter: .seconds(10))
        #expect(policy.decision(after: asked, attempt: 3, random: 0) == .pause(.seconds(10)))
        #expect(
            policy.decision(after: asked, attempt: 3, random: 0.5) == .pause(.milliseconds(10_050)))
        let longer = AttemptEnd(status: 429, retryAfter: .milliseconds(10_001))
        #expect(policy.decision(after: longer, attempt: 1, random: 0) == .stop)
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

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirected GET keeps secrets only within its origin`(status: Int) {
        for same in [true, false] {
            #expect(
                RedirectPolicy.hop(status: status, method: .get, sameOrigin: same)
                    == .init(method: .get, keepsBody: false, keepsSecrets: same))
        }
    }

    @Test(arguments: [307, 308])
    func `the body of a POST is not sent to another origin`(status: Int) {
        #expect(RedirectPolicy.hop(status: status, method: .post, sameOrigin: false) == nil)
    }
}

struct RequestHeadersTests {
    private func lines(_ fields: [(String, String)]) throws(FetchError) -> [String] {
        try RequestHeaders(
            FetchRequest.original("http://a.test/").with {
                $0.headers = fields.map { (name: $0.0, value: $0.1) }
            }
        ).lines(keepingSecrets: true)
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
        #expect(throws: FetchError.self) { try lines([(name, value)]) }
    }

    @Test func `validators with line breaks are refused`() {
        #expect(throws: FetchError.self) {
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

    @Test func `an invalid proxy is refused without printing it`() {
        do {
            _ = try Fetcher(FetchConfiguration().with { $0.proxy = "user:secret@proxy" })
            Issue.record("took it")
        } catch {
            #expect(!error.description.contains("secret"))
        }
    }

    @Test func `a missing CA file is refused`() {
        #expect(throws: FetchError.self) {
            try Fetcher(FetchConfiguration().with { $0.caFile = "/nowhere/ca.pem" })
        }
    }

    @Test func `each fetch error is one sentence without secrets`() {
        let attempt = FetchAttempt(status: nil, failure: "x", duration: .zero, pause: .zero)
        let errors: [(FetchError, String)] = [
            (
                .invalidURL(reason: "it names no host"),
                "The URL can't be fetched: it names no host."
            ),
            (
                .addressRefused(host: "a.test", address: "10.0.0.1", reason: "a private address"),
                "a.test leads to 10.0.0.1, a private address, which is refused unless "
                    + "fetch.allowNetworks names its network."
            ),
            (
                .addressRefused(host: "10.0.0.1", address: "10.0.0.1", reason: "a private address"),
                "10.0.0.1 is a private address, which is refused unless fetch.allowNetworks "
                    + "names its network."
            ),
            (.timedOut(host: "a.test", attempts: [attempt]), "a.test did not respond in time."),
            (
                .truncated(host: "a.test", attempts: [attempt, attempt]),
                "The response of a.test was cut off in 2 attempts."
            ),
        ]
        for (error, text) in errors { #expect(error.description == text) }
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
