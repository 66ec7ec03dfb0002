import Fetch
import FoundationEssentials
import Synchronization
import Testing

@testable import Catalog

@Suite(.timeLimit(.minutes(1))) struct FetchedAPITests {
    /// One answer for every request, and what was requested.
    final class ScriptedFetch: Fetching {
        private let result: Result<FetchResponse, FetchError>
        private let requests = Mutex<[FetchRequest]>([])

        init(_ result: Result<FetchResponse, FetchError>) {
            self.result = result
        }

        convenience init(
            status: Int, headers: [(name: String, value: String)] = [], body: String = "[]",
            url: String = "https://api.tvmaze.com/shows"
        ) {
            self.init(
                .success(
                    FetchResponse(
                        status: status, headers: headers, body: Array(body.utf8), url: url,
                        attempts: [], timings: FetchTimings())))
        }

        var asked: [FetchRequest] { requests.withLock { $0 } }

        func fetch(_ request: FetchRequest) async throws(FetchError) -> FetchResponse {
            requests.withLock { $0.append(request) }
            return try result.get()
        }
    }

    let call = APICall(
        url: "https://api.tvmaze.com/shows?page=1", allowedHosts: [HostPattern("api.tvmaze.com")])

    @Test func `a call asks for JSON at the source's hosts within a bound`() async throws {
        let fetch = ScriptedFetch(status: 200)
        var call = call
        call.headers = [(name: "Authorization", value: "Bearer x")]
        _ = try await FetchedAPI(fetch: fetch, maxBytes: 77).read(call)
        let request = try #require(fetch.asked.first)
        #expect(request.url == call.url)
        #expect(request.purpose == .api)
        #expect(request.maxBytes == 77)
        #expect(request.allowedHosts == call.allowedHosts)
        #expect(
            request.headers.map { "\($0.name): \($0.value)" }
                == ["Authorization: Bearer x", "Accept: application/json"])
    }

    @Test(arguments: [
        ("https://api.tvmaze.com/shows", "https://api.tvmaze.com/shows?key=x%20y"),
        ("http://api.tvmaze.com/shows?page=1", "https://api.tvmaze.com/shows?page=1&key=x%20y"),
    ])
    func `a secret part of the query joins the address when it is sent`(
        url: String, sent: String
    ) async throws {
        let fetch = ScriptedFetch(status: 200)
        var call = call
        call.url = url
        call.secretQuery = "key=x%20y"
        _ = try await FetchedAPI(fetch: fetch).read(call)
        #expect(fetch.asked.map(\.url) == [sent])
    }

    @Test func `no failure tells the secret part of the query`() async {
        var call = call
        call.secretQuery = "key=hush"
        for fetch in [
            ScriptedFetch(status: 503, url: "http://api.tvmaze.com/?key=hush"),
            ScriptedFetch(status: 200, url: "http://api.tvmaze.com/?key=hush"),
            ScriptedFetch(.failure(.timedOut(host: "api.tvmaze.com", attempts: []))),
        ] {
            let error = await #expect(throws: CatalogError.self) {
                try await FetchedAPI(fetch: fetch).read(call)
            }
            #expect(!String(reflecting: error).contains("hush"))
        }
    }

    @Test func `a source's own Accept stays`() async throws {
        let fetch = ScriptedFetch(status: 200)
        var call = call
        call.headers = [(name: "accept", value: "application/ld+json")]
        _ = try await FetchedAPI(fetch: fetch).read(call)
        #expect(fetch.asked.first?.headers.map(\.value) == ["application/ld+json"])
    }

    @Test(arguments: [200, 204, 400, 401, 403, 404, 410])
    func `a final answer comes with its status`(status: Int) async throws {
        let answer = try await FetchedAPI(fetch: ScriptedFetch(status: status, body: "{}"))
            .read(call)
        #expect(answer.status == status)
        #expect(answer.body == Array("{}".utf8))
    }

    @Test(
        arguments: [
            (429, "7", 7, false), (503, nil, nil, false), (500, "soon", nil, false),
            (504, "Sun, 06 Nov 1994 08:49:37 GMT", 0, true), (408, "-1", nil, true),
            (425, "0", 0, false), (502, "Sun, 06 Foo 1994 08:49:37 GMT", nil, false),
        ] as [(Int, String?, Int?, Bool)])
    func `a refusal for now is unavailable, with its Retry-After`(
        status: Int, header: String?, seconds: Int?, timedOut: Bool
    ) async {
        let fetch = ScriptedFetch(
            status: status, headers: header.map { [(name: "Retry-After", value: $0)] } ?? [])
        await #expect(
            throws: CatalogError.unavailable(
                reason: "api.tvmaze.com answered \(status).", timedOut: timedOut,
                retryAfter: seconds)
        ) {
            try await FetchedAPI(fetch: fetch).read(call)
        }
    }

    @Test(arguments: [
        "Tue, 01 Jan 2999 00:00:00 GMT", "86401", "9223372036854775807", "99999999999999999999",
    ])
    func `a Retry-After counts for a day at most`(value: String) async throws {
        let fetch = ScriptedFetch(status: 503, headers: [(name: "retry-after", value: value)])
        await #expect(
            throws: CatalogError.unavailable(
                reason: "api.tvmaze.com answered 503.", timedOut: false, retryAfter: 86_400)
        ) {
            try await FetchedAPI(fetch: fetch).read(call)
        }
    }

    @Test func `a Retry-After as a date counts the seconds until then`() throws {
        let now = Date(timeIntervalSince1970: 784_111_700.5)
        let value = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(RetryAfter(value, now: now)?.seconds == 77)
        #expect(RetryAfter(value, now: .distantFuture)?.seconds == 0)
    }

    @Test(arguments: [
        (FetchError.timedOut(host: "api.tvmaze.com", attempts: []), true),
        (.connectFailed(host: "api.tvmaze.com", reason: "refused", attempts: []), false),
        (.resolveFailed(host: "api.tvmaze.com", attempts: []), false),
        (.tlsFailed(host: "api.tvmaze.com", reason: "expired", attempts: []), false),
        (.truncated(host: "api.tvmaze.com", attempts: []), false),
        (.protocolError(host: "api.tvmaze.com", reason: "x", attempts: []), false),
        (.hostNotAllowed(host: "example.org"), false),
        (.addressRefused(host: "api.tvmaze.com", address: "10.0.0.1", reason: "private"), false),
        (.tooLarge(limit: 5), false), (.tooManyRedirects(limit: 5), false),
        (.invalidURL(reason: "x"), false), (.stopped, false),
    ])
    func `what no answer came for is unavailable with the fetch's reason`(
        error: FetchError, timedOut: Bool
    ) async {
        await #expect(
            throws: CatalogError.unavailable(
                reason: String(describing: error), timedOut: timedOut, retryAfter: nil)
        ) {
            try await FetchedAPI(fetch: ScriptedFetch(.failure(error))).read(call)
        }
    }

    @Test func `cancelling stays cancelling`() async {
        await #expect(throws: CatalogError.cancelled) {
            try await FetchedAPI(fetch: ScriptedFetch(.failure(.cancelled))).read(call)
        }
    }

    @Test(arguments: [
        "ftp://api.tvmaze.com/shows", "https://example.org/shows", "https://api.tvmaze.com:81/x",
    ])
    func `an address elsewhere is never asked`(url: String) async {
        let fetch = ScriptedFetch(status: 200)
        await #expect(throws: CatalogError.self) {
            try await FetchedAPI(fetch: fetch).read(
                APICall(url: url, allowedHosts: call.allowedHosts))
        }
        #expect(fetch.asked.isEmpty)
    }

    @Test func `an answer that came without TLS counts as none`() async {
        let fetch = ScriptedFetch(status: 200, url: "http://api.tvmaze.com/shows")
        await #expect(throws: CatalogError.self) {
            try await FetchedAPI(fetch: fetch).read(call)
        }
    }
}
