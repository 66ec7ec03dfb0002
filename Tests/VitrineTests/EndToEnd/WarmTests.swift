import Foundation
import TestSupport
import Testing

@testable import Console
@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct WarmTests {
    @Test func `a warm run fetches a whole page, and a second run downloads nothing`() async throws
    {
        let maze = try await PlayedTVMaze(shows: 5)
        let first = try await maze.warm(["shows", "--pages", "0-1"])
        #expect(first.status == 0)
        #expect(first.1.items == 5)
        #expect(first.1.originals == 5)
        #expect(first.1.thumbnails == 50)
        let asked = maze.origin.log.requests.count
        let second = try await maze.warm(["shows", "--pages", "0"])
        #expect(second.status == 0)
        #expect(second.1.reused == 50)
        #expect(second.1.originals + second.1.thumbnails == 0)
        #expect(maze.origin.log.requests.count == asked)
    }

    @Test func `a warm run of more than fits says so before most of it, and exits with 3`()
        async throws
    {
        let maze = try await PlayedTVMaze(shows: 120)
        let (status, summary, error) = try await maze.warm(
            ["shows"], environment: ["VITRINE_CACHE_MAX_FILES": "1200"])
        #expect(status == 3)
        #expect(summary.evicted > 0 && summary.items + summary.left == 120)
        #expect(error.contains(" of cache.maxFiles are free. The run ends when the cache begins "))
    }

    @Test func `a warm run pins what it made, and says which requests it repeated`() async throws {
        let maze = try await PlayedTVMaze(shows: 1)
        let picture = FixtureImages.jpeg(width: 120, height: 180, seed: 1)
        maze.origin.on("/original/1.jpg", .status(503), .ok(picture, type: "image/jpeg"))
        let finished = try await maze.run(["warm", "tvmaze", "show", "1", "--pin"])
        #expect(finished.status == 0)
        #expect(finished.output.contains("\n1 request repeated: 1 after status 503\n"))
        #expect(finished.output.contains("\npinned: 1, and 0 were before\n"))
    }

    @Test func `a warm run fails with status 1 if the list can't be read`() async throws {
        let maze = try await PlayedTVMaze(shows: 1)
        maze.origin.on(
            "/shows", host: "api.tvmaze.com", .status(503, headers: [("Retry-After", "999")]))
        let finished = try await maze.run(["warm", "tvmaze", "shows"])
        #expect(finished.status == 1)
        #expect(finished.error.hasSuffix("vitrine: api.tvmaze.com answered 503.\n"))
    }

    @Test func `a dry run fetches no picture`() async throws {
        let maze = try await PlayedTVMaze(shows: 4)
        _ = try await maze.warm(["show", "1"])
        let finished = try await maze.run(["warm", "tvmaze", "shows", "--dry-run"])
        #expect(finished.status == 0)
        #expect(finished.output.hasPrefix("4 items: 3 missing, 0 stale, 1 fresh\n"))
        #expect(finished.output.contains("would fetch up to 3 originals and render 30 thumbnails"))
        #expect(maze.origin.log.count("/original/2.jpg") == 0)
        #expect(try await maze.run(["warm", "tvmaze", "shows"]).status == 0)
        let again = try await maze.run(["warm", "tvmaze", "shows", "--dry-run"])
        #expect(again.output.hasPrefix("4 items: 0 missing, 0 stale, 4 fresh\nnothing to do\n"))
    }

    @Test func `a cache directory that can't be created is reported in one sentence`() async throws
    {
        let directory = try TemporaryDirectory()
        try directory.write([], to: "file")
        let cache = directory.file("file") + "/cache"
        let finished = try await Executable.run(
            ["warm", "tvmaze", "show", "1", "--cache", cache], in: directory.path)
        #expect(finished.status == 1)
        #expect(finished.error.contains(cache))
        #expect(finished.error.filter { $0 == "\n" }.count == 1)
    }

    @Test func `three kills cost no download that had arrived`() async throws {
        let maze = try await PlayedTVMaze(shows: 5)
        let gates = (1...5).map { _ in Gate() }
        @Sendable func path(_ id: Int) -> String { "/original/\(id).jpg" }
        for (id, gate) in zip(1..., gates) {
            let picture = FixtureImages.jpeg(width: 600, height: 900, seed: UInt64(id))
            maze.origin.on(path(id), .ok(picture, type: "image/jpeg").delayed(until: gate))
        }
        for round in 1...3 {
            let running = try maze.start([
                "warm", "tvmaze", "shows", "--levels", "xl", "--concurrency", "5", "--log-level",
                "debug",
            ])
            // One of those that are under way arrives.
            try await maze.origin.wait { log in
                (round...5).allSatisfy { log.count(path($0)) == round }
            }
            gates[round - 1].open()
            _ = try #require(await running.line(containing: "original stored"))
            running.signal(SIGKILL)
            _ = await running.status()
        }
        #expect(try await maze.run(["cache", "verify"]).status == 0)
        for gate in gates { gate.open() }
        let (status, summary, _) = try await maze.warm(["shows", "--levels", "xl"])
        #expect(status == 0)
        #expect(summary.items == 5)
        // Each is asked for in each round until it has arrived.
        #expect((1...5).map { maze.origin.log.count(path($0)) } == [1, 2, 3, 4, 4])
    }

    @Test func `a manifest names each item, and only its failures are repeated`() async throws {
        let maze = try await PlayedTVMaze(shows: 3)
        maze.origin.on("/original/2.jpg", .status(404))
        for path in ["/original/3.jpg", "/medium/3.jpg"] {
            maze.origin.on(path, .status(403))
        }
        let manifest = maze.directory.file("manifest.jsonl")
        let first = try await maze.run([
            "warm", "tvmaze", "show", "1", "2", "3", "--manifest", manifest, "--levels", "xs,xl",
        ])
        #expect(first.status == 3)
        #expect(first.error.contains("fallback tvmaze/show/2: "))
        // Each problem is told once.
        #expect(first.error.components(separatedBy: "tvmaze/show/3").count == 2, "\(first.error)")
        let entries = try String(contentsOfFile: manifest, encoding: .utf8)
            .split(separator: "\n").compactMap { WarmManifest.Entry(String($0)) }
        #expect(Set(entries.map(\.status)) == ["picture", "fallback", "failed"])
        let picture = try #require(entries.first { $0.status == "picture" })
        #expect(picture.item == "tvmaze/show/1" && picture.digest?.hasPrefix("sha256-") == true)
        #expect((picture.width, picture.height) == (120, 180))
        #expect(picture.thumbhash?.isEmpty == false)
        #expect(picture.color?.hasPrefix("#") == true)
        #expect(picture.paths?["xs.webp"]?.hasPrefix("/b/sha256-") == true)
        #expect(entries.first { $0.status == "failed" }?.reason == "The origin answered 403.")
        let asked = maze.origin.log.count("/original/1.jpg")
        let late = FixtureImages.jpeg(width: 120, height: 180, seed: 3)
        maze.origin.on("/original/3.jpg", .ok(late, type: "image/jpeg"))
        let again = try await maze.run([
            "warm", "--retry", manifest, "--levels", "xl", "--json",
        ])
        #expect(again.status == 0 && again.output.contains("\"items\":1,"), "\(again)")
        let overwritten = try await maze.run([
            "warm", "--retry", manifest, "--manifest", manifest,
        ])
        #expect(overwritten.status == 64)
        #expect(maze.origin.log.count("/original/1.jpg") == asked)
    }

    @Test func `items of any source are read from a file`() async throws {
        let maze = try await PlayedTVMaze(shows: 2)
        let list = try maze.directory.write(
            Array("tvmaze/show/1\n# no\n\n tvmaze/show/002 \n".utf8), to: "items.txt")
        let finished = try await maze.run(["warm", "items", list, "--levels", "xs", "--json"])
        #expect(finished.status == 0, "\(finished.error)")
        #expect(maze.origin.log.count("/medium/2.jpg") == 1)
        let wrong = try maze.directory.write(Array("tvmaze/show\n".utf8), to: "wrong.txt")
        let refused = try await maze.run(["warm", "items", wrong])
        #expect(refused.status == 1)
        #expect(
            refused.error.contains(
                "wrong.txt:1: “tvmaze/show” is not an item. "
                    + "Items look like tvmaze/show/1.\n"))
    }

    @Test func `a stale page of the list is said, and exits with 3`() async throws {
        let maze = try await PlayedTVMaze(shows: 2)
        // The page is out of date at once.
        let environment = ["VITRINE_CATALOG_TIME_TO_LIVE": "1ms"]
        let first = try await maze.run(["warm", "tvmaze", "shows"], environment: environment)
        #expect(first.status == 0, "\(first.error)")
        maze.origin.on(
            "/shows", host: "api.tvmaze.com", .status(503, headers: [("Retry-After", "999")]))
        let second = try await maze.run(["warm", "tvmaze", "shows"], environment: environment)
        #expect(second.status == 3, "\(second.error)")
        #expect(second.output.contains("stale: tvmaze/shows?page=0 is from "))
    }

    @Test func `an interrupted run says what is done and how to go on`() async throws {
        let maze = try await PlayedTVMaze(shows: 3)
        let gate = Gate()
        maze.origin.on("/original/3.jpg", .status(503).delayed(until: gate))
        let manifest = maze.directory.file("manifest.jsonl")
        let running = try maze.start([
            "warm", "tvmaze", "show", "1", "2", "3", "--concurrency", "1", "--manifest", manifest,
        ])
        // One at a time: the third begins when the others are done.
        try await maze.origin.wait { $0.count("/original/3.jpg") == 1 }
        running.signal(SIGINT)
        let line = await running.line(after: "vitrine: ")
        #expect(
            line
                == "Interrupted after 2 of 3 items; finished pictures are stored. Repeat the command to "
                + "continue.")
        #expect(await running.status() == 1)
        let lines = try String(contentsOfFile: manifest, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 2)
        gate.open()
    }

    @Test func `an interrupted run ends although its list on standard input continues`()
        async throws
    {
        let maze = try await PlayedTVMaze(shows: 2)
        let list = maze.directory.file("list")
        #expect(mkfifo(list, 0o600) == 0)
        let writing = try FileHandle(forUpdating: URL(filePath: list))
        try writing.write(contentsOf: Data("tvmaze/show/1\n".utf8))
        let running = try maze.start(
            ["warm", "items", "-"],
            wrapper: ["/bin/sh", "-c", "exec \"$@\" < list", "sh"])
        try await maze.origin.wait { $0.count("/original/1.jpg") == 1 }
        running.signal(SIGINT)
        #expect(await running.line(after: "vitrine: Interrupted after ") != nil)
        #expect(await running.status() == 1)
        try writing.close()
    }

    @Test func `formats and levels of a run are settings`() async throws {
        let maze = try await PlayedTVMaze(shows: 1)
        let environment = ["VITRINE_WARM_FORMATS": "webp", "VITRINE_WARM_LEVELS": "xs,m"]
        let finished = try await maze.run(
            ["warm", "tvmaze", "show", "1", "--json"], environment: environment)
        #expect(finished.output.contains("\"thumbnails\":2"))
        let wrong = try await maze.run(
            ["warm", "tvmaze", "show", "1"], environment: ["VITRINE_WARM_LEVELS": "giant"])
        #expect(wrong.status == 78)
    }
}
