import Fetch
import Foundation
import TestSupport
import Testing

/// Traces of the built program, as the environment says.
@Suite(.timeLimit(.minutes(1))) struct TracesTests {
    private static let client = "00f067aa0ba902b7"

    private func get(_ url: String) async throws -> FetchResponse {
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-\(Self.client)-01"
        return try await PlayedTVMaze.get(url, [(name: "traceparent", value: parent)])
    }

    @Test func `the collector gets every miss, and requests go on after it has died`() async throws
    {
        let collector = try await SpanCollector.start()
        let maze = try await PlayedTVMaze(shows: 2)
        let (running, address) = try await maze.serve(environment: [
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
            "OTEL_EXPORTER_OTLP_HEADERS": "x-key=geheim-of-the-test",
            "OTEL_EXPORTER_OTLP_TIMEOUT": "600000", "OTEL_BSP_SCHEDULE_DELAY": "0",
        ])
        #expect(try await get(address + "/t/s/tvmaze/show/1.jpg").status == 200)
        let names: Set = ["GET /t/", "catalog", "fetch", "queue", "render", "store"]
        let state = await collector.wait { names.isSubset(of: $0.spans.map(\.name)) }
        #expect(state.problems.isEmpty, "\(state.problems)")
        #expect(state.orphans(besides: [Self.client]).isEmpty)
        #expect(state.spans.allSatisfy { $0.trace == "4bf92f3577b34da6a3ce929d0e0e4736" })
        #expect(state.resource["service.name"] == "vitrine")
        #expect(collector.origin.log.requests.first?.header("x-key") == "geheim-of-the-test")
        // A hit adds nothing.
        #expect(try await get(address + "/t/s/tvmaze/show/1.jpg").status == 200)
        #expect(try await get(address + "/metrics").status == 200)
        #expect(collector.current.spans.count == names.count)
        // To other users than root it is closed.
        if let file = FileHandle(forReadingAtPath: "/proc/\(running.identifier)/environ") {
            let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
            #expect(text.contains("OTEL_EXPORTER_OTLP_HEADERS=") && !text.contains("geheim"))
        }
        await collector.die()
        #expect(try await get(address + "/t/s/tvmaze/show/2.jpg").status == 200)
        running.signal(SIGTERM)
        let line = await running.line(containing: "the collector of traces took no spans")
        #expect(line?.contains("No connection to 127.0.0.1") == true)
        #expect(line?.contains("geheim") == false)
        #expect(await running.status() == 0)
    }
}
