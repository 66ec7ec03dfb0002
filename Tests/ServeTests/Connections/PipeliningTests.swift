import Catalog
import Foundation
import Imaging
import Pipeline
import PipelineSupport
import Serve
import TestSupport
import Testing

/// Requests that follow each other on a connection, over real connections.
@Suite(.timeLimit(.minutes(1))) struct PipeliningTests {

    @Test(.timeLimit(.minutes(1)))
    func `the end of a connection is seen with its last request`() async throws {
        try await withHarness(HitSite.harness()) { harness in
            let gate = LogGate()
            try await RunningServer.with(
                harness.pipeline, { $0.accessLog = .all }, logger: gate.logger
            ) { running in
                let last = try await running.connect()
                try await last.send(request())
                #expect(await last.answers(1).count == 1)
                // While the thread is held up, the request and the end come together.
                gate.close()
                let other = try await running.connect()
                try await other.send(request())
                await gate.isReached()
                try await last.send(request())
                try await last.finish()
                gate.open()
                #expect(RawAnswer.parse(await last.receivedUntilClosed()).count == 2)
                #expect(running.server.counts.responded == 0)
            }
        }
    }

    @Test(arguments: [request(HitSite.path), request("/t/l/tvmaze/show/1.jpg")])
    func `a client that reads late gets every byte`(asked: String) async throws {
        try await withHarness(HitSite.harness()) { harness in
            _ = try await harness.picture(1, "l", .jpeg)
            try await RunningServer.with(harness.pipeline) { running in
                let expected = try await running.ask([asked])
                let connection = try await running.connect(reads: false)
                let row = String(repeating: asked, count: 60) + request("/healthz") + asked
                async let sent: Void = connection.send(
                    row + request("/healthz", "Connection: close\r\n"))
                _ = try await connection.readSome()
                try await connection.startReading()
                try await sent
                let answers = RawAnswer.parse(await connection.receivedUntilClosed())
                    .map(\.withoutRequestID)
                #expect(answers.count == 63)
                #expect(answers.prefix(60).allSatisfy { $0 == expected.first })
                #expect(answers.dropLast().last == expected.first)
            }
        }
    }
}
