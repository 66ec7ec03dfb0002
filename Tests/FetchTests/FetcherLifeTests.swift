import Fetch
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FetcherLifeTests {
    @Test func `canceling a task aborts its transfer`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/", .silence)
        try await withFetcher { fetcher in
            let task = Task { await cause(of: .original("\(origin.url)/"), with: fetcher) }
            try await origin.waitForRequests(1)
            task.cancel()
            #expect(await task.value == .canceled)
            try await origin.wait { $0.openConnections == 0 }
        }
    }

    @Test func `a canceled task starts no transfer`() async throws {
        let origin = try await OriginServer.start()
        try await withFetcher { fetcher in
            let gate = Gate()
            let task = Task {
                await gate.wait()
                return await cause(of: .original("\(origin.url)/"), with: fetcher)
            }
            task.cancel()
            gate.open()
            #expect(await task.value == .canceled)
        }
    }

    @Test func `canceling a queued task removes it from the queue`() async throws {
        let origin = try await OriginServer.start()
        let gate = Gate()
        origin.on("/first", .ok([1]).delayed(until: gate))
        origin.on("/third", .ok([3]))
        let configuration = FetchConfiguration.loopback.with {
            $0.defaultHost = HostPolicy(maxConcurrent: 1)
        }
        try await withFetcher(configuration) { fetcher in
            async let first = fetcher.fetch(.original("\(origin.url)/first"))
            try await origin.waitForRequests(1)
            let second = Task {
                await cause(of: .original("\(origin.url)/second"), with: fetcher)
            }
            second.cancel()
            #expect(await second.value == .canceled)
            gate.open()
            let bodies = try await [
                first.body, fetcher.fetch(.original("\(origin.url)/third")).body,
            ]
            #expect(bodies == [[1], [3]])
        }
        #expect(origin.log.count("/second") == 0)
    }

    @Test func `canceling a task ends its pause`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/", .status(503, headers: [("Retry-After", "50")]))
        try await withFetcher { fetcher in
            let task = Task { await cause(of: .original("\(origin.url)/"), with: fetcher) }
            try await origin.wait { $0.requests.count == 1 && $0.underWay == 0 }
            task.cancel()
            #expect(await task.value == .canceled)
        }
    }

    @Test func `shutdown ends running, queued and paused requests and rejects new ones`()
        async throws
    {
        let origin = try await OriginServer.start()
        origin.on("/*", .silence)
        origin.on("/pausing", .status(503, headers: [("Retry-After", "50")]))
        let configuration = FetchConfiguration.loopback.with {
            $0.defaultHost = HostPolicy(maxConcurrent: 3)
        }
        let fetcher = try Fetcher(configuration)
        let errors = await withTaskGroup(of: FetchError.Cause?.self) { group in
            func ask(_ paths: [String]) {
                for path in paths {
                    group.addTask {
                        await cause(of: .original("\(origin.url)/\(path)"), with: fetcher)
                    }
                }
            }
            // A pause is the whole host's: nothing more would run after it.
            for (paths, requests) in [(["1", "2"], 2), (["pausing"], 3)] {
                ask(paths)
                do { try await origin.waitForRequests(requests) } catch { Issue.record(error) }
            }
            ask(["3", "4", "5"])
            group.addTask {
                await fetcher.shutdown()
                return nil
            }
            return await group.reduce(into: [FetchError.Cause]()) { errors, error in
                if let error { errors.append(error) }
            }
        }
        #expect(errors == Array(repeating: .stopped, count: 6))
        let late = await cause(of: .original("\(origin.url)/6"), with: fetcher)
        #expect(late == .stopped)
        await fetcher.shutdown()
        try await origin.wait { $0.openConnections == 0 }
    }

    @Test func `a fetcher released without shutdown closes its connections`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/", .ok([1]))
        do {
            let fetcher = try Fetcher(.loopback)
            _ = try await fetcher.fetch(.original("\(origin.url)/"))
            #expect(origin.log.openConnections == 1)
        }
        try await origin.wait { $0.openConnections == 0 }
    }

    @Test func `concurrent transfers to a host never exceed its policy`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/*") { .ok(Array($0.path.utf8) + pattern(2_000)) }
        let configuration = FetchConfiguration.loopback.with {
            $0.connectTo = ["a.test", "b.test", "c.b.test"].map { origin.connectTo(host: $0) }
            $0.hosts = [
                (HostPattern("*.test"), HostPolicy(maxConcurrent: 4)),
                (HostPattern("a.test"), HostPolicy(maxConcurrent: 100)),
            ]
            $0.maxTransfers = 10
        }
        try await withFetcher(configuration) { fetcher in
            try await withThrowingTaskGroup { group in
                for index in 0..<300 {
                    let host = ["a.test", "b.test", "c.b.test"][index % 3]
                    group.addTask {
                        let request = FetchRequest.original("http://\(host)/\(index)")
                        let body = try await fetcher.fetch(request).body
                        return body == Array("/\(index)".utf8) + pattern(2_000)
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
        }
        let log = origin.log
        #expect(log.requests.count == 300)
        #expect(log.peak <= 10)
        #expect(log.peaks.values.allSatisfy { $0 <= 4 })
        #expect(log.connections <= 12)
    }
}
