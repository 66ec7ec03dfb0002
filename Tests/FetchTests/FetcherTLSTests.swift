import Fetch
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FetcherTLSTests {
    @Test func `only the configured authority is trusted`() async throws {
        let authority = try CertificateAuthority()
        let origin = try await OriginServer.start(.tls(authority, names: ["pictures.test"]))
        origin.on("/", .ok([1]))
        let configuration = FetchConfiguration.loopback.with {
            $0.connectTo = ["pictures.test", "other.test"].map { origin.connectTo(host: $0) }
        }
        try await withFetcher(configuration.with { $0.caFile = authority.file }) { fetcher in
            let response = try await fetcher.fetch(.original("https://pictures.test/"))
            #expect(response.body == [1])
            let error = await failure(of: .original("https://other.test/"), with: fetcher)
            guard case .notTrusted? = error?.cause else {
                return miss("took a certificate for another name")
            }
            #expect(error?.host == "other.test")
            #expect(error?.attempts.count == 1)
        }
        try await withFetcher(configuration) { fetcher in
            guard
                case .notTrusted? = await cause(
                    of: .original("https://pictures.test/"), with: fetcher)
            else { return miss("trusted an unknown authority") }
        }
    }

    @Test func `a CA file without a certificate is reported`() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("no certificate".utf8, to: "ca.pem")
        let listener = try SilentListener()
        try await withFetcher(.loopback.with { $0.caFile = file }) { fetcher in
            let url = "https://127.0.0.1:\(listener.port)/"
            guard case .configuration? = await cause(of: .original(url), with: fetcher)
            else { return miss("no configuration error") }
        }
    }

    @Test func `concurrent transfers share one HTTP/2 connection`() async throws {
        let authority = try CertificateAuthority()
        let origin = try await OriginServer.start(
            .tls(authority, names: ["pictures.test"], http2: true))
        let gate = Gate()
        origin.on("/*") { .ok(Array($0.path.utf8) + pattern(100_000)).delayed(until: gate) }
        let configuration = FetchConfiguration.loopback.with {
            $0.caFile = authority.file
            $0.connectTo = [origin.connectTo(host: "pictures.test")]
        }
        try await withFetcher(configuration) { fetcher in
            try await withThrowingTaskGroup { group in
                for index in 0..<10 {
                    group.addTask {
                        let response = try await fetcher.fetch(
                            .original("https://pictures.test/\(index)"))
                        #expect(response.body == Array("/\(index)".utf8) + pattern(100_000))
                        #expect(response.timings.httpVersion == "2")
                    }
                }
                try await origin.wait { $0.underWay == 10 }
                gate.open()
                try await group.waitForAll()
            }
        }
        #expect(origin.log.connections == 1)
        #expect(origin.log.requests.allSatisfy { $0.httpVersion == "2" })
    }

    @Test func `a reset HTTP/2 stream is retried`() async throws {
        let authority = try CertificateAuthority()
        let origin = try await OriginServer.start(
            .tls(authority, names: ["pictures.test"], http2: true))
        origin.on("/", .ok(pattern(50_000)).cut(after: 20_000), .ok(pattern(50_000)))
        let configuration = FetchConfiguration.loopback.with {
            $0.caFile = authority.file
            $0.connectTo = [origin.connectTo(host: "pictures.test")]
        }
        try await withFetcher(configuration) { fetcher in
            let response = try await fetcher.fetch(.original("https://pictures.test/"))
            #expect(response.body == pattern(50_000))
            #expect(response.attempts.count == 2)
        }
    }
}
