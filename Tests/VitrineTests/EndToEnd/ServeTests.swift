import Fetch
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct ServeTests {
    @Test func `stored pictures are served while the origin is unreachable`() async throws {
        let maze = try await PlayedTVMaze(shows: 2)
        #expect(try await maze.warm(["shows"]).status == 0)
        await maze.origin.stop()
        let (running, address) = try await maze.serve()
        #expect(try await PlayedTVMaze.get(address + "/t/m/tvmaze/show/2").status == 200)
        #expect(try await PlayedTVMaze.get(address + "/v1/tvmaze/shows?page=0").status == 200)
        let unknown = try await PlayedTVMaze.get(address + "/t/m/tvmaze/show/3")
        #expect(unknown.status == 502)
        #expect(unknown.header("content-type") == "image/webp")
        #expect(await running.terminate() == 0)
    }

    @Test func `logs contain only the host of a signed URL`() async throws {
        let maze = try await PlayedTVMaze(shows: 1)
        maze.origin.on("/broken.jpg", .html("<p>no picture</p>"))
        let keys = ["VITRINE_URL_KEYS": "a key of the whole test", "VITRINE_LOG_LEVEL": "debug"]
        let url = "https://static.tvmaze.com/broken.jpg?token=geheim"
        let signed = try await maze.run(["sign", url, "--level", "s"], environment: keys)
        let path = signed.output.split(separator: "\n").first.map(String.init) ?? ""
        let id = path.split(separator: "/").last.map(String.init) ?? ""
        let (running, address) = try await maze.serve(environment: keys)
        let failed = try await PlayedTVMaze.get(address + path)
        #expect(failed.status == 415)
        #expect(!failed.headers.contains { $0.value.contains("geheim") || $0.value.contains(id) })
        let line = try #require(await running.line(containing: "no picture"))
        #expect(line.contains("url/image/static.tvmaze.com#"))
        #expect(!line.contains("geheim") && !line.contains(id.prefix(40)))
        running.signal(SIGTERM)
        while let rest = await running.line(containing: "") {
            #expect(!rest.contains("geheim") && !rest.contains(id.prefix(40)))
        }
        #expect(await running.status() == 0)
        try writeFile(maze.directory.file("urls"), url + "\n")
        let warmed = try await maze.run(
            ["warm", "urls", maze.directory.file("urls")],
            environment: keys.merging(["VITRINE_FRESHNESS_REJECTED": "0s"]) { $1 })
        for text in [warmed.error, warmed.output] {
            #expect(!text.contains("geheim") && !text.contains(id.prefix(40)))
        }
    }

    @Test func `a running service has removed secrets from its environment`() async throws {
        let maze = try await PlayedTVMaze(shows: 1)
        let (running, address) = try await maze.serve(environment: [
            "VITRINE_URL_KEYS": "geheim-of-the-test-7"
        ])
        // The key is in use.
        #expect(try await PlayedTVMaze.get(address + "/t/s/url/x/YQ").status != 503)
        // To other users than root it is closed.
        if let file = FileHandle(forReadingAtPath: "/proc/\(running.identifier)/environ") {
            let bytes = try #require(try file.readToEnd())
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.contains("VITRINE_URL_KEYS="))
            #expect(!text.contains("geheim-of-the-test-7"))
        }
        #expect(await running.terminate() == 0)
    }

    @Test func `a port in use is reported in one sentence`() async throws {
        let maze = try await PlayedTVMaze(shows: 1)
        let finished = try await maze.run(["serve", "--port", "\(maze.origin.port)"])
        #expect(finished.status == 1)
        #expect(
            finished.error.hasSuffix(
                "\nvitrine: Port \(maze.origin.port) on 127.0.0.1 is already in use. "
                    + "Choose another with --port.\n"))
    }
}
