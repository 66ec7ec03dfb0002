import Catalog
import Fetch
import FoundationEssentials
import Memory
import Store
import Synchronization
import TestSupport
import Testing

@testable import Pipeline

@Suite(.timeLimit(.minutes(1))) struct CatalogClientTests {
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

    /// Reads the first page of TVmaze's shows with a client that has nothing stored.
    private func shows(_ body: String, _ budget: ByteBudget? = nil) async throws -> CatalogPage? {
        let directory = try TemporaryDirectory()
        let index = try Index(root: directory.path)
        defer { withExtendedLifetime(directory) {} }
        let client = CatalogClient(
            fetch: ScriptedFetch(status: 200, body: body), index: index,
            metrics: PipelineMetrics(), budget: budget, now: { Date() })
        let query = try TVMaze().query(list: "shows", parameters: [:])
        let page: CatalogPage?
        do {
            page = try await TVMaze().page(query, api: client)
        } catch {
            try index.close()
            throw error
        }
        try index.close()
        return page
    }

    @Test(arguments: ["[1],", "{\"id\":1},", "[[]],"])
    func `an answer that would take too much memory is refused before anything is made of it`(
        part: String
    ) async throws {
        let body = "[" + String(repeating: part, count: 1_500_000) + "1]"
        let budget = ByteBudget(bytes: 1 << 30, isSplit: false)
        let failure = await #expect(throws: Failure.self) { try await shows(body, budget) }
        #expect(failure?.kind == .sourceUnavailable)
        #expect(failure?.reason.hasPrefix("TVmaze answered JSON of ") == true)
        #expect(failure?.reason.hasSuffix("MiB of memory; 48 MiB are allowed.") == true)
        #expect(budget.load.peak == 0)
    }

    @Test func `the memory of an answer is reserved while it is read`() async throws {
        let body = "[" + String(repeating: "{\"id\":1},", count: 99) + "{\"id\":2}]"
        let budget = ByteBudget(bytes: 1 << 30, isSplit: false)
        #expect(try await shows(body, budget)?.items.count == 100)
        // An object of one member takes more than a hundred bytes.
        #expect(budget.load.peak > body.utf8.count + 100 * 100)
        #expect(budget.load.held == 0)
    }

    @Test func `an answer waits until there is memory for it`() async throws {
        let budget = ByteBudget(bytes: 1 << 20, isSplit: false)
        var all: ByteBudget.Hold? = try await budget.reserve(1 << 20)
        let page = Task { try await shows("[{\"id\":1}]", budget) }
        await eventually { budget.load.waiting == 1 }
        #expect(all?.bytes == 1 << 20)
        all = nil
        #expect(try await page.value?.items.count == 1)
    }

    @Test func `sources read answers on threads that answer no requests`() async throws {
        let directory = try TemporaryDirectory()
        let index = try Index(root: directory.path)
        let client = CatalogClient(
            fetch: ScriptedFetch(status: 200), index: index, metrics: PipelineMetrics(),
            now: { Date() })
        let name = try await client.reading { () async throws(Failure) -> String? in
            try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        }
        #expect(name == "answers\n")
        try index.close()
    }

    /// Reads with a client that has nothing stored.
    private func read(
        _ call: APICall, by fetch: any Fetching, maxBytes: Int = CatalogClient.maxBytes
    ) async throws -> APIAnswer {
        let directory = try TemporaryDirectory()
        let index = try Index(root: directory.path)
        let client = CatalogClient(
            fetch: fetch, index: index, metrics: PipelineMetrics(), maxBytes: maxBytes,
            now: { Date(timeIntervalSince1970: 784_111_700.5) })
        let answer: APIAnswer
        do {
            answer = try await client.read(call)
        } catch {
            try index.close()
            throw error
        }
        try index.close()
        return answer
    }

    @Test(arguments: [
        (("Authorization", "Bearer x"), ["Authorization: Bearer x", "Accept: application/json"]),
        // A source's own stays.
        (("accept", "application/ld+json"), ["accept: application/ld+json"]),
    ])
    func `a call asks for JSON at the source's hosts within a bound`(
        field: (String, String), sent: [String]
    ) async throws {
        let fetch = ScriptedFetch(status: 200)
        var call = call
        call.headers = [(name: field.0, value: field.1)]
        _ = try await read(call, by: fetch, maxBytes: 77)
        let request = try #require(fetch.asked.first)
        #expect(request.url == call.url)
        #expect(request.purpose == .api)
        #expect(request.maxBytes == 77)
        #expect(request.allowedHosts == call.allowedHosts)
        #expect(request.headers.map { "\($0.name): \($0.value)" } == sent)
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
        _ = try await read(call, by: fetch)
        #expect(fetch.asked.map(\.url) == [sent])
    }

    @Test func `the secret part of the query is not in any failure`() async {
        var call = call
        call.secretQuery = "key=hush"
        for fetch in [
            ScriptedFetch(status: 503, url: "http://api.tvmaze.com/?key=hush"),
            ScriptedFetch(status: 200, url: "http://api.tvmaze.com/?key=hush"),
            ScriptedFetch(
                .failure(FetchError(.timedOut(connected: true), host: "api.tvmaze.com"))),
        ] {
            let error = await #expect(throws: Failure.self) {
                try await read(call, by: fetch)
            }
            #expect(!String(reflecting: error).contains("hush"))
        }
    }

    @Test(arguments: [200, 204, 400, 401, 403, 404, 410])
    func `a final answer comes with its status`(status: Int) async throws {
        let answer = try await read(call, by: ScriptedFetch(status: status, body: "{}"))
        #expect(answer.status == status)
        #expect(answer.body == Array("{}".utf8))
    }

    @Test(
        arguments: [
            (429, "7", 7, false), (503, nil, nil, false), (500, "soon", nil, false),
            (504, "Sun, 06 Nov 1994 08:49:37 GMT", 77, true), (408, "-1", nil, true),
            (425, "0", 0, false), (502, "Sun, 06 Foo 1994 08:49:37 GMT", nil, false),
            // It counts for a day at most, and one that has passed for nothing.
            (503, "Sun, 06 Nov 1994 08:40:00 GMT", 0, false), (503, "86401", 86_400, false),
            (503, "Tue, 01 Jan 2999 00:00:00 GMT", 86_400, false),
            (503, "9223372036854775807", 86_400, false),
            (503, "99999999999999999999", 86_400, false),
        ] as [(Int, String?, Int?, Bool)])
    func `a temporary refusal is unavailable, with its Retry-After`(
        status: Int, header: String?, seconds: Int?, timedOut: Bool
    ) async {
        let fetch = ScriptedFetch(
            status: status, headers: header.map { [(name: "Retry-After", value: $0)] } ?? [])
        await #expect(
            throws: Failure.unavailable(
                reason: "api.tvmaze.com answered \(status).", timedOut: timedOut,
                retryAfter: seconds)
        ) {
            try await read(call, by: fetch)
        }
    }

    @Test(arguments: [
        (FetchError.Cause.timedOut(connected: true), true), (.timedOut(connected: false), true),
        (.connectFailed(reason: "refused"), false), (.resting(.seconds(1)), false),
        (.resolveFailed, false), (.tlsFailed(reason: "alert"), false),
        (.notTrusted(reason: "expired"), false), (.truncated(reason: "x"), false),
        (.protocolError(reason: "x"), false), (.redirectRefused(.post, to: "example.org"), false),
        (.hostNotAllowed(host: "example.org"), false),
        (.addressRefused(host: "api.tvmaze.com", address: "10.0.0.1", reason: "private"), false),
        (.tooLarge(limit: 5), false), (.tooManyRedirects(limit: 5), false),
        (.invalidURL(reason: "x"), false), (.stopped, false),
    ])
    func `a call without an answer is unavailable with the fetch's reason`(
        cause: FetchError.Cause, timedOut: Bool
    ) async {
        let error = FetchError(cause, host: "api.tvmaze.com")
        await #expect(
            throws: Failure.unavailable(
                reason: String(describing: error), timedOut: timedOut, retryAfter: nil)
        ) {
            try await read(call, by: ScriptedFetch(.failure(error)))
        }
    }

    @Test func `a call to a host that wants a pause tells how long it still is`() async {
        let error = FetchError(.held(.milliseconds(899_200)), host: "api.tvmaze.com")
        await #expect(
            throws: Failure.unavailable(reason: String(describing: error), retryAfter: 900)
        ) {
            try await read(call, by: ScriptedFetch(.failure(error)))
        }
    }

    @Test func `a canceled call is reported as canceled`() async {
        await #expect(throws: Failure.canceled) {
            try await read(call, by: ScriptedFetch(.failure(FetchError(.canceled))))
        }
    }

    @Test(arguments: [
        "ftp://api.tvmaze.com/shows", "https://example.org/shows", "https://api.tvmaze.com:81/x",
    ])
    func `an address elsewhere is never asked`(url: String) async {
        let fetch = ScriptedFetch(status: 200)
        await #expect(throws: Failure.self) {
            try await read(APICall(url: url, allowedHosts: call.allowedHosts), by: fetch)
        }
        #expect(fetch.asked.isEmpty)
    }

    @Test func `an address that the operator named is asked as it is`() async throws {
        let fetch = ScriptedFetch(status: 200)
        var call = APICall(url: "http://lists:8000/posters.csv", allowedHosts: call.allowedHosts)
        call.isOperators = true
        _ = try await read(call, by: fetch)
        #expect(fetch.asked.map(\.url) == [call.url])
    }

    @Test(arguments: [("http://10.0.0.5:8080/b", true), ("http://10.0.0.5/b", false)])
    func `a host that is named with http is asked without TLS, inside`(
        answering: String, counts: Bool
    ) async throws {
        let fetch = ScriptedFetch(status: 200, url: answering)
        var call = APICall(url: "http://10.0.0.5:8080/a", allowedHosts: [HostPattern("10.0.0.5")])
        call.plainHosts = ["10.0.0.5:8080"]
        let answer = try? await read(call, by: fetch)
        #expect((answer != nil) == counts)
        #expect(fetch.asked.map(\.url) == [call.url])
        #expect(fetch.asked.map(\.plainIsInside) == [true])
    }

    @Test func `an answer that came without TLS counts as none`() async {
        let fetch = ScriptedFetch(status: 200, url: "http://api.tvmaze.com/shows")
        await #expect(throws: Failure.self) {
            try await read(call, by: fetch)
        }
    }

    @Test func `an answer that is kept is asked for once, and stays while the API fails`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let index = try Index(root: directory.path)
        let clock = ManualClock()
        var call = call
        call.keeping = APICall.Keeping(key: call.url, timeToLive: 60) { _ in Array("[1]".utf8) }
        func client(_ fetch: ScriptedFetch) -> CatalogClient {
            CatalogClient(
                fetch: fetch, index: index, metrics: PipelineMetrics(), now: { clock.now })
        }
        let good = ScriptedFetch(status: 200, body: "[1, 2]")
        let first = client(good)
        #expect(try await first.read(call).body == Array("[1]".utf8))
        #expect(try await first.read(call).body == Array("[1]".utf8))
        // As after a restart.
        #expect(try await client(good).read(call).body == Array("[1]".utf8))
        #expect(good.asked.count == 1)
        clock.advance(by: 61)
        let failing = ScriptedFetch(status: 503)
        #expect(try await client(failing).read(call).body == Array("[1]".utf8))
        #expect(failing.asked.count == 1)
        try index.close()
    }

    @Test(arguments: [(404, "[]"), (200, "<html>no</html>")])
    func `an answer that says nothing is handed on and not kept`(
        status: Int, body: String
    ) async throws {
        let directory = try TemporaryDirectory()
        let index = try Index(root: directory.path)
        let fetch = ScriptedFetch(status: status, body: body)
        let client = CatalogClient(
            fetch: fetch, index: index, metrics: PipelineMetrics(), now: { Date() })
        var call = call
        call.keeping = APICall.Keeping(key: call.url, timeToLive: 60)
        for _ in 1...2 {
            let answer = try await client.read(call)
            #expect(answer.status == status)
            #expect(answer.body == Array(body.utf8))
        }
        #expect(fetch.asked.count == 2)
        try index.close()
    }
}
