import Fetch
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FetcherTests {
    @Test func `brings the whole body with its fields and times`() async throws {
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
            #expect(response.attempts.count == 1)
            #expect(response.attempts.first?.status == 200)
            #expect(response.timings.address == "127.0.0.1")
            #expect(response.timings.httpVersion == "1.1")
            #expect(!response.timings.reusedConnection)
            #expect(response.timings.total > .zero)
        }
        let request = try #require(origin.log.requests.first)
        #expect(request.query == "size=m")
        #expect(request.header("user-agent") == FetchConfiguration().userAgent)
        #expect(request.header("accept-encoding") == nil)
    }

    @Test func `uses one connection for requests that follow each other`() async throws {
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
}
