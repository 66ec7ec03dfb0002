import Fetch
import Foundation
import TestSupport
import Testing
import WorkQueueSupport

@testable import vitrine

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
        #expect(try await PlayedTVMaze.get(address + "/readyz").status == 200)
        let queue = try #require(environment["VITRINE_QUEUE"])
        let run = try await maze.run(
            ["warm", "tvmaze", "shows", "--queue", queue], environment: environment)
        #expect(run.status == 0, "\(run.error)")
        // The run is over when the worker confirms its job; what it did is counted after that.
        var text: String
        repeat {
            text = String(decoding: try await PlayedTVMaze.get(metrics).body, as: UTF8.self)
        } while !text.contains("vitrine_worker_busy 0\n")
        for line in [
            #"vitrine_worker_items_total{result="done"} 3"#,
            #"vitrine_worker_jobs_total{result="done"} 1"#, "vitrine_worker_places 16",
            "vitrine_queue_reached 1",
            #"vitrine_memory_share_bytes{share="cache"} 0"#,
        ] {
            #expect(text.contains(line + "\n"), "\(line)")
        }
        #expect(try await PlayedTVMaze.get(address + "/t/s/tvmaze/show/1.jpg").status == 404)
        #expect(await worker.terminate() == 0)
    }

    @Test func `a run with a queue has the summary, the problems and the manifest of every run`()
        async throws
    {
        let maze = try await PlayedTVMaze(shows: 3)
        maze.origin.on("/original/2.jpg", .status(404))
        for path in ["/original/3.jpg", "/medium/3.jpg"] { maze.origin.on(path, .status(404)) }
        try await with(maze) { try await warms(maze, $0) }
    }

    private func warms(_ maze: PlayedTVMaze, _ environment: [String: String]) async throws {
        let worker = try maze.start(["worker"], environment: environment)
        _ = await worker.line(containing: "takes jobs from")
        let list = try maze.directory.write(
            Array("tvmaze/show/3\nno item\ntvmaze/show/1\ntvmaze/show/2\n".utf8), to: "items")
        let manifest = maze.directory.file("manifest.jsonl")
        let words = ["warm", "items", list, "--json", "--manifest", manifest]
        let run = try await maze.run(words, environment: environment)
        // One line is bad.
        #expect(run.status == 3, "\(run.error)")
        let end = try #require(run.output.split(separator: "\n").last)
        let object = try members(end)
        let members = [
            "items": 3, "fallbacks": 1, "placeholders": 1, "failed": 0, "originals": 2,
            "listed": 3, "missing": 0, "dead": 0,
        ]
        for (member, count) in members { #expect(object[member] as? Int == count, "\(member)") }
        #expect(object["event"] as? String == "summary")
        #expect(run.error.contains("items:2: “no item” is not an item."))
        #expect(run.error.contains("fallback tvmaze/show/2: "))
        #expect(run.error.contains("placeholder tvmaze/show/3: "))
        let entries = try String(contentsOfFile: manifest, encoding: .utf8)
            .split(separator: "\n").compactMap { WarmManifest.Entry(String($0)) }
        let items = ["tvmaze/show/3", nil, "tvmaze/show/1", "tvmaze/show/2"]
        #expect(entries.map(\.item) == items)
        let statuses = ["placeholder", "unreadable", "picture", "fallback"]
        try #require(entries.map(\.status) == statuses)
        #expect((entries[1].line, entries[1].reason?.hasPrefix("“no item” ")) == (2, true))
        #expect(entries[2].digest?.hasPrefix("sha256-") == true && entries[2].bytes ?? 0 > 0)
        #expect((entries[2].width, entries[2].height) == (120, 180))
        let strict = try await maze.run(
            ["warm", "tvmaze", "shows", "--strict"], environment: environment)
        #expect(strict.status == 3)
        #expect(strict.output.contains("\nThe shared store lacks nothing of 3 items.\n"))
        #expect(await worker.terminate() == 0)
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
