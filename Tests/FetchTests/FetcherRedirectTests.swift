import Fetch
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FetcherRedirectTests {
    @Test func `five redirects are followed, and the response names the final URL`() async throws {
        let origin = try await OriginServer.start()
        for index in 0..<5 { origin.on("/\(index)", .redirect(to: "\(index + 1)?é f#part")) }
        origin.on("/5", .ok([1, 2]))
        try await withFetcher { fetcher in
            let response = try await fetcher.fetch(.original("\(origin.url)/0"))
            #expect(response.body == [1, 2])
            #expect(response.url == "\(origin.url)/5?%c3%a9+f")
            #expect(response.attempts.count == 1)
        }
        #expect(origin.log.connections == 1)
    }

    @Test func `the sixth redirect is an error`() async throws {
        let seen = try await fetched(.redirect(to: "/again"))
        #expect(seen.error?.cause == .tooManyRedirects(limit: 5))
        #expect(seen.log.requests.count == 6)
    }

    @Test(arguments: [
        ("http://10.1.2.3/", "10.1.2.3"), ("http://[::ffff:10.1.2.3]/", "::ffff:10.1.2.3"),
        ("http://167772161/", "10.0.0.1"),
        ("//169.254.169.254/latest/meta-data/", "169.254.169.254"),
    ])
    func `a redirect to a private address is refused`(location: String, address: String)
        async throws
    {
        let seen = try await fetched(.redirect(to: location))
        guard case .addressRefused(_, address, _)? = seen.error?.cause else {
            return miss("\(seen.result)")
        }
        #expect(seen.log.requests.count == 1)
    }

    @Test(arguments: [
        "ftp://example.com/", "file:///etc/passwd", "http://user:pass@example.com/",
        "http://example.com:8080/", "gopher://example.com/", "http://", "https://a\u{1}b/",
    ])
    func `a redirect to a URL that is not public is refused`(location: String) async throws {
        let seen = try await fetched(.redirect(to: location))
        guard case .invalidURL? = seen.error?.cause else { return miss("\(seen.result)") }
    }

    @Test func `the allowed hosts are checked at every redirect`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/", host: "a.test", .redirect(to: "http://b.test/x"))
        origin.on("/x", host: "b.test", .ok([7]))
        let configuration = FetchConfiguration.loopback.with {
            $0.connectTo = ["a.test", "b.test"].map { origin.connectTo(host: $0) }
        }
        try await withFetcher(configuration) { fetcher in
            let request = FetchRequest.original("http://a.test/")
            let error = await cause(
                of: request.with { $0.allowedHosts = [HostPattern("a.test")] }, with: fetcher)
            #expect(error == .hostNotAllowed(host: "b.test"))
            let response = try await fetcher.fetch(
                request.with { $0.allowedHosts = [HostPattern("*.test")] })
            #expect(response.body == [7])
        }
    }

    @Test(arguments: [
        (true, "a public address asked over http"), (false, nil),
    ])
    func `plain HTTP that stays inside follows no redirect to a public address`(
        staysInside: Bool, reason: String?
    ) async throws {
        let error = try await fetched(
            .redirect(to: "http://192.88.100.1/x"),
            with: .loopback.with { $0.maxRedirects = 0 }
        ) { $0.plainIsInside = staysInside }.error
        guard case .addressRefused(_, _, let seen)? = error?.cause else {
            #expect(reason == nil, "\(error.map { "\($0)" } ?? "none")")
            return
        }
        #expect(seen == reason)
    }

    @Test func `secrets are not sent to another origin`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/", host: "a.test", .redirect(to: "/same"))
        origin.on("/same", host: "a.test", .redirect(to: "http://b.test/other"))
        origin.on("/other", host: "b.test", .redirect(to: "http://a.test/back"))
        origin.on("/back", host: "a.test", .ok([1]))
        let configuration = FetchConfiguration.loopback.with {
            $0.connectTo = ["a.test", "b.test"].map { origin.connectTo(host: $0) }
        }
        try await withFetcher(configuration) { fetcher in
            _ = try await fetcher.fetch(
                .api("http://a.test/").with {
                    $0.headers = [
                        ("Authorization", "Bearer t"), ("X-Key", "k"), ("Accept", "image/*"),
                    ]
                })
        }
        let requests = origin.log.requests
        #expect(requests.map { $0.header("authorization") } == ["Bearer t", "Bearer t", nil, nil])
        #expect(requests.map { $0.header("x-key") } == ["k", "k", nil, nil])
        #expect(requests.allSatisfy { $0.header("accept") == "image/*" })
    }

    @Test(arguments: [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
    func `a redirect keeps or drops the body of a POST by its status`(status: Int, method: String)
        async throws
    {
        let log = try await fetched(.redirect(to: "/next", status: status), .ok([])) {
            $0.purpose = .api
            $0.method = .post
            $0.body = [1, 2, 3]
        }.log
        #expect(log.requests.last?.path == "/next")
        #expect(log.requests.last?.method == method)
        #expect(log.requests.last?.body == (method == "POST" ? [1, 2, 3] : []))
    }

    @Test(arguments: [OriginReply.status(302), .redirect(to: "")])
    func `a redirect without a location is the final response`(reply: OriginReply) async throws {
        #expect(try await fetched(reply).response.status == 302)
    }

    @Test func `the large body of a redirect is not read`() async throws {
        let large = OriginReply(302, body: pattern(4 << 20), headers: [("Location", "/next")])
        #expect(try await fetched(large, .ok([1])) { $0.maxBytes = 1 }.response.body == [1])
    }
}
