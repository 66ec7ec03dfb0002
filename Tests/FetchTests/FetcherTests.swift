import Fetch
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FetcherTests {
    @Test func `a response has the whole body, header fields and timings`() async throws {
        let origin = try await OriginServer.start()
        let bytes = pattern(300_000)
        origin.on("/poster.jpg", .ok(bytes, type: "image/jpeg", headers: [("ETag", "\"a\"")]))
        try await withFetcher { fetcher in
            let response = try await fetcher.fetch(.original("\(origin.url)/poster.jpg?size=m"))
            #expect(response.status == 200)
            #expect(response.body == bytes)
            #expect(response.header("content-type") == "image/jpeg")
            #expect(response.validators == Validators(entityTag: "\"a\"", lastModified: nil))
            #expect(response.url == "\(origin.url)/poster.jpg?size=m")
            #expect(response.attempts.map(\.status) == [200])
            #expect(response.timings.httpVersion == "1.1")
            #expect(response.timings.total > .zero)
        }
        let request = try #require(origin.log.requests.first)
        #expect(request.query == "size=m")
        #expect(request.header("user-agent") == FetchConfiguration().userAgent)
        #expect(request.header("accept-encoding") == nil)
    }

    @Test func `consecutive requests share one connection`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/*", .ok(pattern(1_000)))
        try await withFetcher { fetcher in
            for index in 0..<5 {
                let response = try await fetcher.fetch(.original("\(origin.url)/\(index)"))
                #expect(response.timings.reusedConnection == (index > 0))
            }
        }
        #expect(origin.log.connections == 1)
        #expect(origin.log.requests.count == 5)
    }

    @Test func `a new connection is opened after the origin closed the idle one`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/", .ok([1, 2]).cut(after: 2))
        try await withFetcher { fetcher in
            for _ in 0..<3 {
                let response = try await fetcher.fetch(.original("\(origin.url)/"))
                #expect(response.body == [1, 2])
                #expect(response.attempts.count == 1)
                try await origin.wait { $0.openConnections == 0 }
            }
        }
        #expect(origin.log.connections == 3)
    }

    @Test func `validators are sent, and 304 is returned`() async throws {
        let unchanged = OriginReply.status(
            304, headers: [("ETag", "W/\"1\""), ("Content-Length", "999999999")])
        let seen = try await fetched(unchanged) {
            $0.maxBytes = 10
            $0.validators = Validators(
                entityTag: "W/\"1\"", lastModified: "Sun, 06 Nov 1994 08:49:37 GMT")
        }
        #expect(try seen.response.status == 304)
        #expect(try seen.response.body.isEmpty)
        let request = try #require(seen.log.requests.first)
        #expect(request.header("if-none-match") == "W/\"1\"")
        #expect(request.header("if-modified-since") == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test func `a POST sends its body, even an empty one`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/token") { .ok($0.body + Array($0.method.utf8)) }
        try await withFetcher { fetcher in
            for body in [Array("grant_type=client_credentials".utf8), []] {
                let response = try await fetcher.fetch(
                    .api("\(origin.url)/token").with {
                        $0.method = .post
                        $0.body = body
                        $0.headers = [("Authorization", "Basic eA=="), ("X-Empty", "")]
                    })
                #expect(response.body == body + Array("POST".utf8))
            }
        }
        #expect(origin.log.requests.first?.header("authorization") == "Basic eA==")
        #expect(origin.log.requests.first?.header("x-empty") == "")
    }

    @Test(arguments: [404, 410, 403, 400, 206])
    func `a final error status is returned with its body`(status: Int) async throws {
        let seen = try await fetched(.html("<p>reason</p>", status: status))
        #expect(try seen.response.status == status)
        #expect(try seen.response.body == Array("<p>reason</p>".utf8))
        #expect(seen.log.requests.count == 1)
    }

    @Test func `requests go through a proxy, even for hosts that only the proxy resolves`()
        async throws
    {
        let proxy = try await OriginServer.start()
        proxy.on("*") { .ok(Array("\($0.host) through the proxy".utf8)) }
        let configuration = FetchConfiguration.loopback.with {
            $0.allowedNetworks = []
            $0.proxy = proxy.url
        }
        try await withFetcher(configuration) { fetcher in
            let response = try await fetcher.fetch(.original("http://pictures.invalid/a"))
            #expect(response.body == Array("pictures.invalid through the proxy".utf8))
            let refused = await cause(of: .original("http://10.0.0.1/"), with: fetcher)
            #expect(
                refused
                    == .addressRefused(
                        host: "10.0.0.1", address: "10.0.0.1", reason: "a private address"))
        }
        #expect(proxy.log.requests.count == 1)
    }

    @Test
    func `a compressed API response is decompressed, and its limit counts decompressed bytes`()
        async throws
    {
        let origin = try await OriginServer.start()
        // 2,000 times "a", as gzip writes it.
        let packed: [UInt8] = [
            0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3, 0x4b, 0x4c, 0x1c, 0x05, 0xa3, 0x60, 0x14, 0x8c,
            0x82, 0x51, 0x30, 0x0a, 0x46, 0xc1, 0x50, 0x07, 0, 0x39, 0x3e, 0x13, 0xa8, 0xd0, 7, 0,
            0,
        ]
        origin.on("/*", .ok(packed, headers: [("Content-Encoding", "gzip")]))
        try await withFetcher { fetcher in
            let response = try await fetcher.fetch(.api("\(origin.url)/a", maxBytes: 2_000))
            #expect(response.body == Array(repeating: UInt8(ascii: "a"), count: 2_000))
            let tooLarge = await cause(
                of: .api("\(origin.url)/b", maxBytes: 1_999), with: fetcher)
            #expect(tooLarge == .tooLarge(limit: 1_999))
            // Originals aren't asked for with a coding, and are read if they have one.
            let original = try await fetcher.fetch(.original("\(origin.url)/c"))
            #expect(original.body == response.body)
        }
        #expect(origin.log.requests.first?.header("accept-encoding") == "gzip")
        #expect(origin.log.requests.last?.header("accept-encoding") == nil)
    }
}
