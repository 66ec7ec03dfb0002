import Fetch
import Foundation
import TestSupport
import Testing

/// The service on disks that take nothing, and on databases that are damaged.
@Suite(.timeLimit(.minutes(1))) struct BadDiskTests {
    private func status(_ urls: [String]) async throws -> [Int] {
        let fetcher = try PlayedTVMaze.client()
        var statuses: [Int] = []
        for url in urls {
            let request = FetchRequest(url: url, purpose: .original, maxBytes: 1 << 24)
            statuses.append(try await fetcher.fetch(request).status)
        }
        await fetcher.shutdown()
        return statuses
    }

    @Test(
        .enabled("needs a private mount of a small tmpfs") { try await PrivateMount.isAllowed() },
        arguments: [
            "mount -t tmpfs -o size=256k tmpfs \"$0\" && ! cat /dev/zero 2>&- > \"$0/filler\"",
            "mount -t tmpfs -o ro tmpfs \"$0\"",
        ])
    func `the server serves from memory while the cache's disk is read-only or full`(script: String)
        async throws
    {
        let maze = try await PlayedTVMaze(shows: 2)
        let cache = maze.directory.file("cache")
        try FileManager.default.createDirectory(
            atPath: cache, withIntermediateDirectories: true)
        let (running, address) = try await maze.serve(
            wrapper: PrivateMount.wrapper(script, at: cache))
        let paths = ["/t/s/tvmaze/show/1", "/t/m/tvmaze/show/1", "/t/s/tvmaze/show/2"]
        let wanted =
            (paths + paths + ["/o/tvmaze/show/1", "/v1/tvmaze/shows?page=0", "/readyz"])
            .map { address + $0 }
        #expect(try await status(wanted).allSatisfy { $0 == 200 })
        for id in 1...2 {
            let fetched =
                maze.origin.log.count("/original/\(id).jpg")
                + maze.origin.log.count("/medium/\(id).jpg")
            #expect(fetched <= 2)
        }
        running.signal(SIGTERM)
        #expect(await running.status() == 0)
    }

    @Test func `the server starts with damaged databases and reports them`() async throws {
        let maze = try await PlayedTVMaze(shows: 2)
        #expect(try await maze.warm(["shows"]).status == 0)
        for name in ["pictures", "keepsakes"] {
            let path = maze.directory.file("cache/v2/index/\(name).sqlite")
            let file = try #require(FileHandle(forWritingAtPath: path))
            try file.write(contentsOf: Data(repeating: 0xA5, count: 8_192))
            try file.close()
        }
        let running = try maze.start(["serve", "--port", "0"])
        #expect(await running.line(containing: "A database of the cache was damaged") != nil)
        #expect(await running.line(containing: "keepsakes.sqlite.damaged-") != nil)
        let address = try #require(await running.line(after: "vitrine: listening on "))
        let statuses = try await status(
            ["/t/s/tvmaze/show/1", "/v1/favorites", "/readyz"].map { address + $0 })
        #expect(statuses == [200, 200, 200])
        running.signal(SIGTERM)
        #expect(await running.status() == 0)
        let verified = try await maze.run(["cache", "verify"])
        #expect(verified.status == 0 || verified.status == 3)
    }
}
