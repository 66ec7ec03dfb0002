import Foundation
import TestSupport
import Testing

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

    @Test func `a warm run lists failed items and exits with 3`() async throws {
        let maze = try await PlayedTVMaze(shows: 3)
        maze.origin.on("/original/2.jpg", .status(404))
        for path in ["/original/3.jpg", "/medium/3.jpg"] {
            maze.origin.on(path, .status(403))
        }
        let (status, summary, error) = try await maze.warm(["show", "1", "2", "3"])
        #expect(status == 3)
        #expect((summary.items, summary.fallbacks, summary.failed) == (3, 1, 1))
        #expect(error.contains("failed tvmaze/show/3: The origin answered 403."))
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
        #expect(finished.output.hasPrefix("4 items: 1 warm, 3 cold; would fetch up to 3 originals"))
        #expect(maze.origin.log.count("/original/2.jpg") == 0)
    }

    @Test(arguments: [
        (["warm", "imdb", "shows"], "vitrine: Source “imdb” is unknown; known are "),
        (["warm", "tvmaze", "show"], "vitrine: Name the ids, such as: tvmaze show 1 2 3."),
        (["warm", "tvmaze", "show", "x"], "vitrine: A TVMaze id is a positive number"),
        (["warm", "tvmaze", "shows", "--pages", "3-1"], "vitrine: --pages is “3-1”; expected "),
        (
            ["warm", "tvmaze", "shows", "--levels", "q"],
            "vitrine: --levels: there is no level \"q\""
        ),
        (["warm", "tvmaze", "shows", "--limit", "0"], "vitrine: --limit is 0; expected 1 or more"),
        (["explain", "tvmaze"], "vitrine: \"tvmaze\" is not an item. Items look like"),
        (["explain", "x/y/1"], "vitrine: Source “x” is unknown"),
        (["explain", "tvmaze/x/1"], "vitrine: TVMaze has no kind “x”; it has "),
        (["warm", "tvmaze", "nope"], "vitrine: TVMaze has no list “nope”; it has "),
    ])
    func `invalid arguments are a usage error in one sentence`(
        arguments: [String], begin: String
    ) async throws {
        let directory = try TemporaryDirectory()
        let finished = try await Executable.run(arguments, in: directory.path)
        #expect(finished.status == 64)
        #expect(finished.error.hasPrefix(begin), "\(finished.error)")
        #expect(finished.error.filter { $0 == "\n" }.count == 1)
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

    @Test func `a warm run fetches the pictures of a list of URLs`() async throws {
        let maze = try await PlayedTVMaze(shows: 2)
        let list = try maze.directory.write(
            Array(
                """
                https://static.tvmaze.com/original/1.jpg
                # the same again, and another

                HTTPS://STATIC.tvmaze.com/original/1.jpg
                https://static.tvmaze.com/original/2.jpg
                """.utf8), to: "urls.txt")
        let finished = try await maze.run(["warm", "urls", list, "--levels", "xs"])
        #expect(finished.status == 0)
        #expect(finished.output.hasPrefix("2 items: 2 pictures"))
    }

    @Test func `a killed warm run continues where it stopped`() async throws {
        let maze = try await PlayedTVMaze(shows: 12)
        let gate = Gate()
        for id in 7...12 {
            let picture = FixtureImages.jpeg(width: 120, height: 180, seed: UInt64(id))
            maze.origin.on("/original/\(id).jpg", .ok(picture).delayed(until: gate))
        }
        let running = try maze.start(
            ["warm", "tvmaze", "shows", "--concurrency", "6", "--log-level", "debug"])
        // Six under way at once: the seventh is asked for when an earlier one is finished, and the
        // twelfth when all six that can end have ended.
        try await maze.origin.wait { $0.count("/original/12.jpg") == 1 }
        running.signal(SIGKILL)
        _ = await running.status()
        let verified = try await maze.run(["cache", "verify"])
        #expect(verified.status == 0, "\(verified.output)")
        gate.open()
        let (status, summary, _) = try await maze.warm(["shows"])
        #expect(status == 0)
        #expect(summary.items == 12)
        #expect(summary.originals == 6)
        #expect(summary.reused == 60)
    }

    @Test func `three kills cost no download that had arrived`() async throws {
        let maze = try await PlayedTVMaze(shows: 12)
        for id in 1...12 {
            // Rendering takes longer than downloading, so a kill finds originals without thumbnails.
            let picture = FixtureImages.jpeg(width: 1_600, height: 2_400, seed: UInt64(id))
            maze.origin.on("/original/\(id).jpg", .ok(picture, type: "image/jpeg"))
        }
        func downloads() -> Int {
            maze.origin.log.requests.count { $0.path.hasPrefix("/original/") }
        }
        var inFlight = 0
        for _ in 1...3 {
            let before = downloads()
            let running = try maze.start(["warm", "tvmaze", "shows", "--log-level", "debug"])
            var stored = 0
            while stored < 3, await running.line(containing: "original stored") != nil {
                stored += 1
            }
            running.signal(SIGKILL)
            _ = await running.status()
            inFlight += downloads() - before - stored
        }
        let (status, summary, _) = try await maze.warm(["shows"])
        #expect(status == 0)
        #expect(summary.items == 12)
        #expect(downloads() <= 12 + inFlight)
    }
}
