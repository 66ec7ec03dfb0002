import Foundation
import Serve
import TestSupport
import Testing

/// Connections that were handed over to an event loop and then send hits again.
@Suite(.timeLimit(.minutes(1))) struct GivingBackTests {
    private static let hit = "/t/m/tvmaze/show/1"

    @Test func `four hits in a row return a connection to the hit threads`() async throws {
        let log = Self.threadNames()
        try await log.serving { running in
            let client = try await running.connect()
            var count = 0
            for _ in 0..<3 {
                try await client.send(request("/o/tvmaze/show/1", "X-Odd: 1\r\n"))
                count += 1
                #expect(await client.answers(count).count == count)
                for _ in 0..<8 {
                    try await client.send(request(Self.hit))
                    count += 1
                    #expect(await client.answers(count).count == count)
                }
            }
            #expect(await client.answers(count).allSatisfy { $0.status == 200 })
            #expect(running.server.counts.accepted == 1)
            // Of each round the first request and four hits.
            #expect(running.server.counts.handedOn == 15)
            await eventually { running.server.counts.open <= 1 }
            let byHitThreads = log.facts.filter { $0 == "vitrine-http" }.count
            #expect(log.facts.count == 27)
            #expect(byHitThreads == 12)
            try await client.close()
            await eventually { running.server.counts.open == 0 }
        }
    }

    @Test func `a returned connection keeps its pipelined requests`() async throws {
        try await Self.threadNames().serving { running in
            let client = try await running.connect()
            let row = Array(repeating: request(Self.hit), count: 7)
            for _ in 0..<20 {
                try await client.send(request("/o/tvmaze/show/1", "X-Odd: 1\r\n"))
                for part in row { try await client.send(part) }
            }
            let answers = await client.answers(160)
            #expect(answers.map(\.status) == [Int](repeating: 200, count: 160))
            #expect(running.server.counts.accepted == 1)
        }
    }

    /// Which threads log.
    private static func threadNames() -> ThreadLog<String> {
        ThreadLog {
            let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
            return name?.trimmingCharacters(in: .newlines) ?? ""
        }
    }
}
