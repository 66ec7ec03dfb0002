import TestSupport
import Testing

@testable import Fetch

@Suite(.timeLimit(.minutes(1)))
struct FetcherLimitTests {
    @Test func `a body that is declared too large is refused before it arrives`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/", .ok([]).declaring(length: 1 << 40))
        try await withFetcher { fetcher in
            let cause = await cause(
                of: .original("\(origin.url)/", maxBytes: 1_000), with: fetcher)
            #expect(cause == .tooLarge(limit: 1_000))
        }
        #expect(origin.log.requests.count == 1)
    }

    @Test(arguments: [true, false])
    func `the bytes of a body without a declared length are counted`(chunked: Bool) async throws {
        let origin = try await OriginServer.start()
        let fits = OriginReply.ok(pattern(100_000))
        let more = OriginReply.ok(pattern(100_001))
        origin.on("/fits", chunked ? fits.chunked() : fits.untilClose())
        origin.on("/more", chunked ? more.chunked() : more.untilClose())
        try await withFetcher { fetcher in
            let response = try await fetcher.fetch(
                .original("\(origin.url)/fits", maxBytes: 100_000))
            #expect(response.body == pattern(100_000))
            let cause = await cause(
                of: .original("\(origin.url)/more", maxBytes: 100_000), with: fetcher)
            #expect(cause == .tooLarge(limit: 100_000))
        }
    }

    @Test func `an error status is kept even if its body is too large`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/", .html(String(repeating: "sorry ", count: 100_000), status: 404))
        try await withFetcher { fetcher in
            let response = try await fetcher.fetch(.original("\(origin.url)/", maxBytes: 1_000))
            #expect(response.status == 404)
            #expect(response.body.isEmpty)
        }
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

    @Test func `a response that exceeds the total time of all attempts times out`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/", .ok(pattern(10_000)).dripping(1, every: .milliseconds(5)))
        let configuration = FetchConfiguration.loopback.with {
            $0.totalTimeout = .seconds(1)
            $0.retry.attempts = 4
        }
        try await withFetcher(configuration) { fetcher in
            let error = await failure(of: .original("\(origin.url)/"), with: fetcher)
            #expect(error?.cause == .timedOut(connected: true))
            #expect(error?.attempts.map(\.failure) == ["no answer in time"])
            #expect((error?.attempts ?? []).allSatisfy { $0.duration > .milliseconds(900) })
        }
    }

    @Test func `a chain of redirects shares one total time`() async throws {
        let origin = try await OriginServer.start()
        // Either hop alone would be in time.
        let slow = OriginReply(307, body: pattern(8), headers: [("Location", "/next")])
        origin.on("/", slow.dripping(1, every: .milliseconds(90)))
        origin.on("/next", .ok(pattern(8)).dripping(1, every: .milliseconds(90)))
        let configuration = FetchConfiguration.loopback.with {
            $0.totalTimeout = .seconds(1)
            $0.retry.attempts = 1
        }
        try await withFetcher(configuration) { fetcher in
            guard
                case .timedOut? = await cause(of: .original("\(origin.url)/"), with: fetcher)
            else { return miss("no timeout") }
        }
    }

    @Test func `a response that arrives too slowly times out`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/", .ok(pattern(1_000_000)).dripping(1, every: .milliseconds(20)))
        let configuration = FetchConfiguration.loopback.with {
            $0.lowSpeedTime = .seconds(1)
            $0.retry.attempts = 1
        }
        try await withFetcher(configuration) { fetcher in
            guard
                case .timedOut? = await cause(of: .original("\(origin.url)/"), with: fetcher)
            else { return miss("no timeout") }
        }
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
