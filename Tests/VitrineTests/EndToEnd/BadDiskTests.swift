import Fetch
import Foundation
import TestSupport
import Testing

/// The service on disks that take nothing, and on databases that are damaged.
@Suite(.timeLimit(.minutes(1))) struct BadDiskTests {
    private func status(_ urls: [String]) async throws -> [Int] {
        var statuses: [Int] = []
        for url in urls { statuses.append(try await PlayedTVMaze.get(url).status) }
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
        #expect(await running.terminate() == 0)
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
        let running = try maze.start(
            ["serve", "--port", "0"], environment: ["VITRINE_USER_DATA": "auto"])
        #expect(await running.line(containing: "A database of the cache was damaged") != nil)
        #expect(await running.line(containing: "keepsakes.sqlite.damaged-") != nil)
        let address = try #require(await running.line(after: "vitrine: listening on "))
        let statuses = try await status(
            ["/t/s/tvmaze/show/1", "/v1/favorites", "/readyz"].map { address + $0 })
        #expect(statuses == [200, 200, 200])
        #expect(await running.terminate() == 0)
        let verified = try await maze.run(["cache", "verify"])
        #expect(verified.status == 0 || verified.status == 3)
    }
}

/// A source of the settings on a host without TLS.
@Suite(.timeLimit(.minutes(1))) struct PlainSourceTests {
    /// Runs `vitrine warm shop chair 17` in front of an API and its picture on one loopback port.
    private func warm(
        networks: String, _ check: (Executable.Finished, OriginServer) throws -> Void
    ) async throws {
        let origin = try await OriginServer.start()
        let image = "\(origin.url)/17.png"
        origin.on("/chairs/17", .json(#"{"name": "Chair", "image": "\#(image)"}"#))
        origin.on(
            "/17.png",
            .ok(FixtureImages.png(width: 40, height: 60, .rgb) { x, y, band in x + y + band }))
        try await withScratchDirectory { directory in
            try writeFile(
                "\(directory)/shop.yaml",
                """
                fetch: {allowNetworks: \(networks)}
                sources:
                  shop:
                    hosts: [127.0.0.1]
                    kinds:
                      chair:
                        request: \(origin.url)/chairs/{id}
                        title: $.name
                        chain: [{url: $.image}]

                """)
            let finished = try await Executable.run(
                ["warm", "shop", "chair", "17", "--levels", "xs", "--config", "shop.yaml"],
                in: directory)
            try check(finished, origin)
        }
    }

    @Test func `a described source on an allowed network needs no TLS`() async throws {
        try await warm(networks: "[127.0.0.0/8]") { finished, origin in
            #expect(finished.status == 0, "\(finished.error)")
            #expect(origin.log.requests.map(\.path) == ["/chairs/17", "/17.png"])
        }
    }

    @Test func `without an allowed network it is not asked`() async throws {
        try await warm(networks: "[10.0.0.0/8]") { finished, origin in
            #expect(finished.status == 3, "\(finished.error)")
            #expect(finished.error.contains("a loopback address"), "\(finished.error)")
            #expect(origin.log.requests.isEmpty)
        }
    }
}
