import Fetch
import Foundation
import TestSupport
import Testing

/// Several programs on one cache directory.
@Suite(.timeLimit(.minutes(1))) struct ProcessesTests {
    @Test func `a service and two warm runs, one of them killed, download each picture once`()
        async throws
    {
        let maze = try await PlayedTVMaze(shows: 12)
        let gate = Gate()
        for id in 7...12 {
            let picture = FixtureImages.jpeg(width: 120, height: 180, seed: UInt64(id))
            maze.origin.on("/original/\(id).jpg", .ok(picture).delayed(until: gate))
        }
        let (service, address) = try await maze.serve()
        let warm = ["warm", "tvmaze", "shows", "--concurrency", "6"]
        let killed = try maze.start(warm)
        let other = try maze.start(warm)
        // A run asks for the twelfth when it has only the five before it to wait for.
        try await maze.origin.wait { $0.count("/original/12.jpg") == 1 }
        async let pictures = withThrowingTaskGroup(of: Int.self) { group in
            for id in 1...12 {
                group.addTask {
                    try await PlayedTVMaze.get(address + "/t/s/tvmaze/show/\(id).jpg").status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        killed.signal(SIGKILL)
        _ = await killed.status()
        gate.open()
        #expect(try await pictures == [Int](repeating: 200, count: 12))
        #expect(await other.status() == 0)
        // The killed run, again: all is there.
        let (status, summary, _) = try await maze.warm(["shows"])
        #expect(status == 0)
        #expect((summary.items, summary.originals, summary.thumbnails) == (12, 0, 0))
        for id in 1...12 {
            let count = maze.origin.log.count("/original/\(id).jpg")
            // What the killed run was downloading is downloaded again.
            #expect(id < 7 ? count == 1 : (1...2).contains(count), "\(id): \(count)")
            // The service may be the first to go on, and takes the small picture.
            #expect(maze.origin.log.count("/medium/\(id).jpg") <= 1)
        }
        #expect(maze.origin.log.requests.count { $0.path == "/shows" && $0.query == "page=0" } == 1)
        #expect(await service.terminate() == 0)
        let verified = try await maze.run(["cache", "verify"])
        #expect(verified.status == 0, "\(verified.output)")
    }

    @Test func `a running service notices a purge of the command`() async throws {
        let maze = try await PlayedTVMaze(shows: 1)
        let (service, address) = try await maze.serve()
        let url = address + "/t/s/tvmaze/show/1.jpg"
        for expected in ["vitrine; fwd=miss; stored", "vitrine; hit"] {
            #expect(try await PlayedTVMaze.get(url).header("cache-status") == expected)
        }
        #expect(try await maze.run(["cache", "purge", "tvmaze/show/1"]).status == 0)
        // It looks once a second. The time limit of the suite ends a service that doesn't.
        while try await PlayedTVMaze.get(url).header("cache-status") == "vitrine; hit" {}
        #expect(maze.origin.log.count("/medium/1.jpg") == 2)
        #expect(await service.terminate() == 0)
    }
}
