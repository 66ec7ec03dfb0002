import Fetch
import TestSupport
import Testing

/// Endpoints that only the operator chooses, and the methods they need.
@Suite(.timeLimit(.minutes(1))) struct EndpointTests {
    private static let endpoints = FetchConfiguration.loopback.with {
        $0.reach = .endpoints
        $0.allowedNetworks = []
    }

    @Test func `an endpoint may have any address, name and port, and an origin may not`()
        async throws
    {
        let origin = try await OriginServer.start()
        origin.on("/", .ok([1]))
        try await withFetcher(Self.endpoints) { fetcher in
            for host in ["127.0.0.1", "localhost"] {
                let response = try await fetcher.fetch(.original("http://\(host):\(origin.port)/"))
                #expect(response.status == 200)
            }
        }
        try await withFetcher(FetchConfiguration.loopback.with { $0.allowedNetworks = [] }) {
            fetcher in
            for host in ["127.0.0.1", "localhost"] {
                let error = await failure(
                    of: .original("http://\(host):\(origin.port)/"), with: fetcher)
                #expect(error != nil)
            }
        }
        #expect(origin.log.requests.count == 2)
    }

    @Test func `an endpoint's redirect is its answer`() async throws {
        let seen = try await fetched(.redirect(to: "/b", status: 307), with: Self.endpoints)
        #expect(try seen.response.status == 307)
        #expect(seen.log.requests.count == 1)
    }

    @Test func `a PUT sends its body, again on a retry`() async throws {
        let body = pattern(2 << 20)
        let seen = try await fetched(.status(503), .status(200), with: Self.endpoints) {
            $0.method = .put
            $0.body = body
            $0.headers = [("Content-Type", "image/webp")]
        }
        #expect(try seen.response.status == 200)
        #expect(seen.log.requests.map(\.method) == ["PUT", "PUT"])
        for request in seen.log.requests {
            #expect(request.body == body)
            #expect(request.header("content-type") == "image/webp")
            #expect(request.header("expect") == nil)
        }
    }

    @Test func `a HEAD has a length and no body, whatever came before on its handle`() async throws
    {
        let origin = try await OriginServer.start()
        origin.on("/object") { request in
            switch request.method {
            case "HEAD": OriginReply(200, headers: [("Content-Length", "5000000")])
            case "DELETE": .status(204)
            default: .ok([7])
            }
        }
        try await withFetcher(Self.endpoints) { fetcher in
            for method in [.get, .head, .get, .delete, .head, .get] as [FetchRequest.Method] {
                let request = FetchRequest.original("\(origin.url)/object", maxBytes: 100).with {
                    $0.method = method
                }
                let response = try await fetcher.fetch(request)
                #expect(response.body == (method == .get ? [7] : []))
                #expect(response.status == (method == .delete ? 204 : 200))
            }
        }
        #expect(
            origin.log.requests.map(\.method) == ["GET", "HEAD", "GET", "DELETE", "HEAD", "GET"])
        #expect(origin.log.connections == 1)
    }

    @Test(arguments: [([501], 1), ([], 4)] as [(Set<Int>, Int)])
    func `a status that is final is not retried`(final: Set<Int>, attempts: Int) async throws {
        let seen = try await fetched(.status(501), with: Self.endpoints) {
            $0.finalStatuses = final
        }
        #expect(try seen.response.attempts.count == attempts)
    }
}
