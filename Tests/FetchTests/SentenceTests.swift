import CCurl
import TestSupport
import Testing

@testable import Fetch

/// Every sentence and phrase that operators read, byte for byte.
@Suite(.timeLimit(.minutes(1))) struct SentenceTests {
    private static let attempt = FetchAttempt(
        status: nil, failure: "x", duration: .zero, pause: .zero)

    /// A failure of a transfer, its error's sentence after two attempts, the phrase of its attempt, and
    /// what it says about the host.
    static let failures: [(FetchError.Cause, String, String, HostHealth.Report?)] = [
        (
            .resolveFailed, "The name a.test could not be resolved in 2 attempts.",
            "the name could not be resolved", .unreachable
        ),
        (
            .connectFailed(reason: "timed out"),
            "No connection to a.test in 2 attempts: timed out.",
            "no connection: timed out", .unreachable
        ),
        (
            .tlsFailed(reason: "alert"), "No secure connection to a.test in 2 attempts: alert.",
            "no secure connection: alert", .unreachable
        ),
        (
            .notTrusted(reason: "expired"),
            "No secure connection to a.test in 2 attempts: expired.",
            "no secure connection: expired", nil
        ),
        (
            .timedOut(connected: false), "a.test did not respond in time in 2 attempts.",
            "no connection in time", .unreachable
        ),
        (
            .timedOut(connected: true), "a.test did not respond in time in 2 attempts.",
            "no answer in time", nil
        ),
        (
            .truncated(reason: "reset"), "The response of a.test was cut off in 2 attempts.",
            "broke off: reset", .answered
        ),
        (
            .protocolError(reason: "it is not HTTP"),
            "The response of a.test can't be used in 2 attempts: it is not HTTP.",
            "it is not HTTP", .answered
        ),
        (
            .resting(.milliseconds(1_200)),
            "No connection to a.test in 2 attempts: it was unreachable moments ago; next attempt in 2 s.",
            "not asked: it was unreachable moments ago; next attempt in 2 s", nil
        ),
        (
            .resting(.zero),
            "No connection to a.test in 2 attempts: it was unreachable moments ago; next attempt in 1 s.",
            "not asked: it was unreachable moments ago; next attempt in 1 s", nil
        ),
        (
            .held(.milliseconds(899_200)),
            "a.test answered 429 and wants no request for another 900 s.",
            "not asked: the host answered 429 and wants no request for another 900 s", nil
        ),
    ]

    @Test(arguments: failures.indices)
    func `a failed attempt has a phrase, and its error a sentence that counts the attempts`(
        index: Int
    ) {
        let (cause, sentence, words, report) = Self.failures[index]
        let attempts = [Self.attempt, Self.attempt]
        #expect(FetchError(cause, host: "a.test", attempts: attempts).description == sentence)
        #expect(
            FetchError(cause, host: "a.test").description
                == sentence.replacing(" in 2 attempts", with: ""))
        #expect(FetchError(cause, host: "a.test", attempts: attempts).attempts == attempts)
        #expect(cause.words == words)
        #expect(cause.report == report)
    }

    /// Failures that another attempt doesn't change, and their sentences.
    static let finals: [(FetchError.Cause, String, HostHealth.Report?)] = [
        (
            .addressRefused(host: "a.test", address: "10.0.0.1", reason: "a private address"),
            "a.test leads to 10.0.0.1, a private address, which is refused unless "
                + "fetch.allowNetworks names its network.", nil
        ),
        (.tooLarge(limit: 7), "The body is larger than the limit of 7 bytes.", .answered),
        (.canceled, "The fetch was canceled.", nil), (.stopped, "The fetcher has stopped.", nil),
        (
            .configuration(reason: "no threads"),
            "The fetcher's configuration can't work: no threads.", nil
        ),
    ]

    @Test(arguments: finals.indices)
    func `an error that is not a host's fault names no attempts`(index: Int) {
        let (cause, sentence, report) = Self.finals[index]
        let error = FetchError(
            cause, host: "a.test", attempts: [Self.attempt, Self.attempt])
        #expect(error.description == sentence)
        #expect(error.attempts.isEmpty)
        #expect(cause.report == report)
    }

    @Test func `a request that isn't allowed has a sentence`() {
        let causes: [(FetchError.Cause, String)] = [
            (.invalidURL(reason: "no host"), "The URL can't be fetched: no host."),
            (
                .hostNotAllowed(host: "b.test"),
                "The host b.test is not among those allowed for this request."
            ),
            (
                .addressRefused(host: "10.0.0.1", address: "10.0.0.1", reason: "a private address"),
                "10.0.0.1 is a private address, which is refused unless fetch.allowNetworks names "
                    + "its network."
            ),
            (.tooManyRedirects(limit: 1), "There was more than one redirect."),
            (.tooManyRedirects(limit: 5), "There were more than 5 redirects."),
        ]
        for (cause, sentence) in causes {
            #expect(FetchError(cause).description == sentence)
        }
    }

    static let codes: [(CURLcode, Bool, Int, FetchError.Cause)] = [
        (CURLE_COULDNT_RESOLVE_HOST, false, 0, .resolveFailed),
        (
            CURLE_COULDNT_RESOLVE_PROXY, false, 0,
            .connectFailed(reason: "the name of the proxy could not be resolved")
        ),
        (CURLE_PROXY, false, 0, .connectFailed(reason: "the proxy failed (text)")),
        (CURLE_RECV_ERROR, false, 407, .connectFailed(reason: "the proxy answered 407")),
        (CURLE_RECV_ERROR, false, 200, .truncated(reason: "text")),
        (CURLE_COULDNT_CONNECT, false, 0, .connectFailed(reason: "text")),
        (CURLE_OPERATION_TIMEDOUT, false, 0, .timedOut(connected: false)),
        (CURLE_OPERATION_TIMEDOUT, true, 0, .timedOut(connected: true)),
        (CURLE_SSL_CONNECT_ERROR, false, 0, .tlsFailed(reason: "text")),
        (CURLE_PEER_FAILED_VERIFICATION, false, 0, .notTrusted(reason: "text")),
        (CURLE_SSL_ISSUER_ERROR, false, 0, .notTrusted(reason: "text")),
        (CURLE_SSL_INVALIDCERTSTATUS, false, 0, .notTrusted(reason: "text")),
        (CURLE_SSL_CERTPROBLEM, false, 0, .notTrusted(reason: "text")),
        (CURLE_SSL_CACERT_BADFILE, false, 0, .configuration(reason: "text")),
        (CURLE_SSL_CIPHER, false, 0, .configuration(reason: "text")),
        (CURLE_SSL_ENGINE_NOTFOUND, false, 0, .configuration(reason: "text")),
        (CURLE_SSL_ENGINE_SETFAILED, false, 0, .configuration(reason: "text")),
        (CURLE_BAD_FUNCTION_ARGUMENT, false, 0, .configuration(reason: "text")),
        (CURLE_NOT_BUILT_IN, false, 0, .configuration(reason: "text")),
        (CURLE_PARTIAL_FILE, true, 0, .truncated(reason: "text")),
        (CURLE_GOT_NOTHING, true, 0, .truncated(reason: "text")),
        (CURLE_SEND_ERROR, true, 0, .truncated(reason: "text")),
        (CURLE_HTTP2, true, 0, .truncated(reason: "text")),
        (CURLE_HTTP2_STREAM, true, 0, .truncated(reason: "text")),
        (CURLE_OUT_OF_MEMORY, true, 0, .truncated(reason: "text")),
        (CURLE_UNSUPPORTED_PROTOCOL, true, 0, .protocolError(reason: "it is not HTTP")),
        (CURLE_WEIRD_SERVER_REPLY, true, 0, .protocolError(reason: "text")),
    ]

    @Test(arguments: codes.indices)
    func `each code of libcurl is one failure`(index: Int) {
        let (code, connected, status, cause) = Self.codes[index]
        #expect(
            FetchError.Cause(code, text: "text", connected: connected, proxyStatus: status)
                == cause)
    }

    @Test func `settings that can't work are named`() throws {
        let directory = try TemporaryDirectory()
        let cases: [((inout FetchConfiguration) -> Void, String)] = [
            ({ $0.connectTo = ["a.test"] }, "“a.test” is not HOST:PORT:HOST:PORT"),
            (
                { $0.caFile = "/nowhere/ca.pem" },
                "the CA file /nowhere/ca.pem can't be read (No such file or directory)"
            ),
            (
                { $0.caFile = directory.path },
                "the CA file \(directory.path) is not a regular file"
            ),
            (
                { $0.proxy = "user:secret@proxy" },
                "the proxy is not a URL with one of the schemes http, https, socks4, socks4a, "
                    + "socks5 and socks5h"
            ),
            ({ $0.userAgent = "a\nb" }, "the user agent holds control characters"),
        ]
        for (change, reason) in cases {
            do {
                _ = try Fetcher(FetchConfiguration().with(change))
                miss("it works: \(reason)")
            } catch {
                #expect(
                    error.description == "The fetcher's configuration can't work: \(reason).")
            }
        }
    }

    @Test(arguments: [
        ("", "a", "a request header has a name that HTTP doesn't allow"),
        ("X Y", "a", "a request header has a name that HTTP doesn't allow"),
        ("Host", "b.test", "the request header Host is the fetcher's own"),
        ("X", "a\nb", "the value of the request header X holds control characters"),
    ])
    func `a request header that can't be sent is named`(
        name: String, value: String, reason: String
    ) async throws {
        let request = FetchRequest.original("http://a.test/").with { $0.headers = [(name, value)] }
        try await withFetcher { fetcher in
            let error = await failure(of: request, with: fetcher)
            #expect(
                error?.description == "The fetcher's configuration can't work: \(reason).")
        }
    }

    @Test(arguments: [
        ("ftp://a.test/", "its scheme is neither http nor https"),
        ("http://user@a.test/", "it holds user information"),
        ("http://[fe80::1%25eth0]/", "its address holds a zone"),
        ("http://\(String(repeating: "a", count: 254))/", "it names no host"),
        ("http://a.test:22/", "its port is 22, and only 80 and 443 are allowed"),
        ("http://a.test/\u{0}", "it holds a NUL character"),
        ("http://a\u{ff}\u{fffd}.test/", "its host name has no ASCII form"),
        ("http://a.test:x/", "port number was not a decimal number between 0 and 65535"),
    ])
    func `a URL that can't be fetched says why`(url: String, reason: String) async throws {
        try await withFetcher { fetcher in
            let error = await failure(of: .original(url), with: fetcher)
            #expect(error?.description == "The URL can't be fetched: \(reason).")
        }
    }

    @Test func `a redirect of a POST to another origin says so`() async throws {
        let origin = try await OriginServer.start()
        let other = try await OriginServer.start()
        origin.on("/", .status(503), .redirect(to: "\(other.url)/", status: 307))
        try await withFetcher { fetcher in
            let request = FetchRequest.original("\(origin.url)/").with { $0.method = .post }
            let error = await failure(of: request, with: fetcher)
            #expect(
                error?.description
                    == "The response of 127.0.0.1 can't be used: it redirects a POST to another "
                    + "origin, 127.0.0.1.")
            #expect(error?.attempts.isEmpty == true)
        }
    }

    @Test func `an operator reads that a host is down or back`() {
        #expect(
            HostEvent.down(host: "a.test").description
                == "a.test can't be reached and is probed with pauses. Its stored pictures are "
                + "served meanwhile.")
        #expect(HostEvent.back(host: "a.test").description == "a.test answers again.")
    }
}

@Suite(.timeLimit(.minutes(1))) struct CurlPhraseTests {
    @Test(arguments: [
        (
            "SSL certificate problem: unable to get local issuer certificate",
            "SSL certificate problem: unable to get local issuer certificate"
        ),
        ("Failed to connect", "failed to connect"), ("URL rejected", "URL rejected"), ("A", "a"),
        (
            "Failed to connect to 10.0.0.1 port 81 after 17 ms: Couldn't connect to server",
            "failed to connect to 10.0.0.1 port 81: Couldn't connect to server"
        ),
        ("", ""),
    ])
    func `a sentence of libcurl ends one of ours: abbreviations keep their capitals, times go`(
        text: String, phrase: String
    ) {
        #expect(CurlLibrary.phrase(text) == phrase)
    }
}

@Suite(.timeLimit(.minutes(1))) struct HostEventTests {
    @Test func `a host is down after a failed probe, and back with its first response`() {
        let start = ContinuousClock.now
        var breaker = BreakerPolicy()
        breaker.threshold = 1
        breaker.rest = .seconds(2)
        var gate = HostGate(maxTransfers: 100, breaker: breaker) { _ in HostPolicy() }
        let reports: [(HostHealth.Report, HostEvent?)] = [
            // The first rest may be a restart.
            (.unreachable, nil), (.unreachable, .down(host: "a")), (.unreachable, nil),
            (.answered, .back(host: "a")), (.answered, nil), (.unreachable, nil), (.answered, nil),
        ]
        for (number, (report, event)) in reports.enumerated() {
            let now = start.advanced(by: .seconds(1_000 * number))
            gate.enqueue(1, host: "a")
            #expect(gate.turn(at: now).start == [1])
            #expect(gate.finish(1, host: "a", report, at: now) == event)
        }
    }
}
