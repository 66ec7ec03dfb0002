import TestSupport
import Testing

@testable import Fetch

@Suite(.timeLimit(.minutes(1)))
struct FetcherLimitTests {
    @Test func `a body that is declared too large is refused before it arrives`() async throws {
        let seen = try await fetched(.ok([]).declaring(length: 1 << 40)) { $0.maxBytes = 1_000 }
        #expect(seen.error?.cause == .tooLarge(limit: 1_000))
        #expect(seen.log.requests.count == 1)
    }

    @Test(arguments: [true, false])
    func `the bytes of a body without a declared length are counted`(chunked: Bool) async throws {
        for count in [100_000, 100_001] {
            let reply = OriginReply.ok(pattern(count))
            let seen = try await fetched(chunked ? reply.chunked() : reply.untilClose()) {
                $0.maxBytes = 100_000
            }
            if count == 100_000 {
                #expect(try seen.response.body == pattern(count))
            } else {
                #expect(seen.error?.cause == .tooLarge(limit: 100_000))
            }
        }
    }

    @Test func `an error status is kept even if its body is too large`() async throws {
        let page = OriginReply.html(String(repeating: "sorry ", count: 100_000), status: 404)
        let response = try await fetched(page) { $0.maxBytes = 1_000 }.response
        #expect(response.status == 404)
        #expect(response.body.isEmpty)
    }

    @Test func `a handshake that doesn't end times out`() async throws {
        let listener = try SilentListener()
        let configuration = FetchConfiguration.loopback.with {
            $0.connectTimeout = .milliseconds(100)
            $0.retry.attempts = 2
        }
        try await withFetcher(configuration) { fetcher in
            let error = await failure(
                of: .original("https://127.0.0.1:\(listener.port)/"), with: fetcher)
            #expect(error?.cause == .timedOut(connected: false))
            #expect(error?.host == "127.0.0.1")
            #expect(
                error?.attempts.map(\.failure)
                    == Array(repeating: "no connection in time", count: 2))
        }
    }

    /// What is too slow, and the setting that it exceeds.
    static let slow: [(String, [OriginReply], @Sendable (inout FetchConfiguration) -> Void)] = [
        (
            "a response that takes longer than all attempts may",
            [.ok(pattern(10_000)).dripping(1, every: .milliseconds(5))],
            { $0.totalTimeout = .seconds(1) }
        ),
        (
            "a chain of redirects, of which either hop alone would be in time",
            [OriginReply(307, body: pattern(8), headers: [("Location", "/next")]), .ok(pattern(8))]
                .map { $0.dripping(1, every: .milliseconds(90)) },
            { $0.totalTimeout = .seconds(1) }
        ),
        (
            "a response below the lowest speed",
            [.ok(pattern(1_000_000)).dripping(1, every: .milliseconds(20))],
            {
                $0.lowSpeedTime = .seconds(1)
                $0.retry.attempts = 1
            }
        ),
    ]

    @Test(arguments: slow.indices)
    func `a response that is too slow times out`(index: Int) async throws {
        let (name, replies, change) = Self.slow[index]
        let error = try await fetched(replies, with: .loopback.with(change)).error
        #expect(error?.cause == .timedOut(connected: true), "\(name)")
        #expect(error?.attempts.map(\.failure) == ["no answer in time"], "\(name)")
    }

    @Test func `the address is checked on a reused connection too`()
        async throws
    {
        let origin = try await OriginServer.start()
        origin.on("/*", .ok([1]))
        let configuration = FetchConfiguration.loopback
        let thread = try TransferThread(configuration)
        let run = try RequestRun(.original("\(origin.url)/a"), configuration)
        let first = await run.attempt(over: thread, within: .seconds(1_200))
        #expect(first.response?.status == 200)
        let second = await thread.run(
            Transfer(
                request: .original("\(origin.url)/a"), target: first.target, headers: [],
                timeout: .seconds(1_200), addresses: AddressPolicy(allowed: [])))
        guard case .failure(.addressRefused(_, "127.0.0.1", _)) = second.outcome else {
            return miss("not refused")
        }
        await thread.stop()
        #expect(origin.log.connections == 1)
        #expect(origin.log.requests.count == 1)
    }

    @Test func `a private address behind a resolved name is refused`() async throws {
        try await withFetcher(FetchConfiguration()) { fetcher in
            let cause = await cause(of: .original("http://localhost/"), with: fetcher)
            guard case .addressRefused("localhost", _, "a loopback address")? = cause else {
                return miss("\(String(describing: cause))")
            }
        }
    }

    @Test func `a private address behind a public name is refused`() async throws {
        let origin = try await OriginServer.start()
        let configuration = FetchConfiguration.loopback.with {
            $0.allowedNetworks = []
            $0.connectTo = [origin.connectTo(host: "public.test")]
        }
        try await withFetcher(configuration) { fetcher in
            let cause = await cause(of: .original("http://public.test/"), with: fetcher)
            #expect(
                cause
                    == .addressRefused(
                        host: "public.test", address: "127.0.0.1", reason: "a loopback address"))
        }
        #expect(origin.log.connections == 0)
    }
}
