import Fetch
import Foundation
import TestSupport
import Testing
import WorkQueueSupport

/// The built program as a worker of a fleet on this machine.
@Suite(.timeLimit(.minutes(1)), .enabled(if: Servers.program != nil)) struct WorkerTests {
    /// Runs a test with servers, and what the program has to be told of them and of a store.
    private func with(
        _ maze: PlayedTVMaze, _ body: (_ environment: [String: String]) async throws -> Void
    ) async throws {
        let servers = try await Servers(1, in: maze.directory.file("nats"))
        let store = maze.directory.file("store")
        do {
            try FileManager.default.createDirectory(
                atPath: store, withIntermediateDirectories: true)
            try await body(
                servers.environment.merging([
                    "VITRINE_QUEUE": servers.url, "VITRINE_S3_ENDPOINT": "file://\(store)",
                ]) { $1 })
        } catch {
            // The test's error says more than an error of stopping.
            try? await servers.stop()
            throw error
        }
        try await servers.stop()
    }

    private func get(_ client: Fetcher, _ url: String) async throws -> FetchResponse {
        try await client.fetch(FetchRequest(url: url, purpose: .original, maxBytes: 1 << 24))
    }

    @Test func `a worker shows its metrics and whether it is ready, and no pictures`() async throws
    {
        let maze = try await PlayedTVMaze(shows: 3)
        try await with(maze) { try await works(maze, $0) }
    }

    private func works(_ maze: PlayedTVMaze, _ environment: [String: String]) async throws {
        let worker = try maze.start(
            ["worker", "--metrics", "127.0.0.1:0", "--concurrency", "16"],
            environment: environment)
        let metrics = try #require(await worker.line(after: "vitrine: metrics at "))
        let address = String(metrics.dropLast("/metrics".count))
        _ = await worker.line(containing: "takes jobs from")
        let client = try PlayedTVMaze.client()
        #expect(try await get(client, address + "/readyz").status == 200)
        let queue = try #require(environment["VITRINE_QUEUE"])
        let run = try await maze.run(
            ["warm", "tvmaze", "shows", "--queue", queue], environment: environment)
        #expect(run.status == 0, "\(run.error)")
        // The run is over when the worker confirms its job; what it did is counted after that.
        var text: String
        repeat {
            text = String(decoding: try await get(client, metrics).body, as: UTF8.self)
        } while !text.contains("vitrine_worker_busy 0\n")
        for line in [
            #"vitrine_worker_items_total{result="done"} 3"#,
            #"vitrine_worker_jobs_total{result="done"} 1"#, "vitrine_worker_places 16",
            "vitrine_queue_reached 1",
            #"vitrine_memory_share_bytes{share="cache"} 0"#,
        ] {
            #expect(text.contains(line + "\n"), "\(line)")
        }
        #expect(try await get(client, address + "/t/s/tvmaze/show/1.jpg").status == 404)
        await client.shutdown()
        worker.signal(SIGTERM)
        #expect(await worker.status() == 0)
    }

    @Test func `a port that is taken ends a worker with what to do`() async throws {
        let maze = try await PlayedTVMaze(shows: 1)
        let port = maze.origin.port
        try await with(maze) { environment in
            let finished = try await maze.run(
                ["worker", "--admin-address", "127.0.0.1:\(port)"], environment: environment)
            #expect(finished.status == 1)
            #expect(
                finished.error.contains(
                    "Port \(port) on 127.0.0.1 is already in use. "
                        + "Choose another with --admin-address."),
                "\(finished.error)")
        }
    }
}
