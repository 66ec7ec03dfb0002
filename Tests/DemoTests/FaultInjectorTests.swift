import Testing

@testable import Demo

@Suite(.timeLimit(.minutes(1))) struct FaultInjectorTests {
    private func statuses(_ errors: Double, _ tooMany: Double) async throws -> [Int] {
        var configuration = DemoOriginConfiguration()
        configuration.errorRate = errors
        configuration.tooManyRequests = tooMany
        let faults = FaultInjector(configuration)
        var statuses: [Int] = []
        for _ in 0..<400 { statuses.append(try await faults.next()?.status ?? 200) }
        return statuses
    }

    @Test func `nothing goes wrong unless it is asked for`() async throws {
        let faults = FaultInjector(DemoOriginConfiguration())
        for _ in 0..<400 { #expect(try await faults.next() == nil) }
    }

    @Test func `about as many requests fail as are wanted, the same ones every time`()
        async throws
    {
        let statuses = try await statuses(0.1, 0.05)
        #expect((20...60).contains(statuses.count { $0 == 503 }))
        #expect((8...35).contains(statuses.count { $0 == 429 }))
        #expect(try await self.statuses(0.1, 0.05) == statuses)
    }

    @Test func `all of them can fail, and a 429 says when to come again`() async throws {
        #expect(try await statuses(1, 0).allSatisfy { $0 == 503 })
        var configuration = DemoOriginConfiguration()
        configuration.tooManyRequests = 1
        let answer = try await FaultInjector(configuration).next()
        #expect(answer?.status == 429)
        #expect(answer?.fields["Retry-After"] == "1")
    }

    @Test func `an answer takes at least its latency`() async throws {
        var configuration = DemoOriginConfiguration()
        configuration.latency = .milliseconds(20)
        let faults = FaultInjector(configuration)
        let took = try await ContinuousClock().measure { _ = try await faults.next() }
        #expect(took >= .milliseconds(20))
    }
}
