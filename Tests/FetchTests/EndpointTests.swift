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
        let origin = try await OriginServer.start()
        origin.on("/a", .redirect(to: "/b", status: 307))
        try await withFetcher(Self.endpoints) { fetcher in
            let response = try await fetcher.fetch(.original("\(origin.url)/a"))
            #expect(response.status == 307)
        }
        #expect(origin.log.requests.map(\.path) == ["/a"])
    }

    @Test func `a PUT sends its body, again on a retry`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/object", .status(503), .status(200))
        let body = pattern(2 << 20)
        try await withFetcher(Self.endpoints) { fetcher in
            let request = FetchRequest.original("\(origin.url)/object").with {
                $0.method = .put
                $0.body = body
                $0.headers = [("Content-Type", "image/webp")]
            }
            let response = try await fetcher.fetch(request)
            #expect(response.status == 200)
        }
        #expect(origin.log.requests.map(\.method) == ["PUT", "PUT"])
        #expect(origin.log.requests.allSatisfy { $0.body == body })
        #expect(origin.log.requests.allSatisfy { $0.header("content-type") == "image/webp" })
        #expect(origin.log.requests.allSatisfy { $0.header("expect") == nil })
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

    @Test func `a status that is final is not retried`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/object", .status(501))
        try await withFetcher(Self.endpoints) { fetcher in
            let request = FetchRequest.original("\(origin.url)/object").with {
                $0.finalStatuses = [501]
            }
            let once = try await fetcher.fetch(request)
            #expect(once.attempts.count == 1)
            let other = try await fetcher.fetch(.original("\(origin.url)/object"))
            #expect(other.attempts.count == 4)
        }
    }
}
