import App
import Fetch
import Foundation
import TestSupport
import Testing

@testable import vitrine

/// Lists of pictures, as files and as sources of the settings.
@Suite(.timeLimit(.minutes(1))) struct ListsTests {
    private static let place = "https://static.tvmaze.com/original"

    /// Writes `posters.csv` with these rows of id and path. Returns its path.
    private func write(_ rows: [(String, String)], _ maze: PlayedTVMaze) throws -> String {
        let lines = rows.map { "\($0.0),\(Self.place)/\($0.1)\n" }.joined()
        return try maze.directory.write(Array("sku,poster\n\(lines)".utf8), to: "posters.csv")
    }

    @Test func `warm fetches the pictures of a list of URLs`() async throws {
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
        #expect(finished.output.hasPrefix("✓ Pictures of "))
    }

    @Test func `a list is signed row by row, and its paths are accepted`() async throws {
        let maze = try await PlayedTVMaze(shows: 2)
        let keys = ["VITRINE_URL_KEYS": "a key of the whole test"]
        let list = try maze.directory.write(
            Array(
                """
                sku,name,poster
                A,One,\(Self.place)/1.jpg
                B,Two,n/a
                C,Three,HTTPS://static.tvmaze.com/original/2.jpg#top

                """.utf8), to: "posters.csv")
        let arguments = ["sign", "--list", list, "--level", "xs"]
        let signed = try await maze.run(arguments, environment: keys)
        #expect(signed.status == 3)
        #expect(signed.error.contains("posters.csv:3: “n/a” is not an absolute http or https URL."))
        let paths = signed.output.split(separator: "\n").map(String.init)
        #expect(paths.count == 2)
        let lines = try await maze.run(
            arguments + ["--json", "--expires", "1d"], environment: keys
        )
        .output.split(separator: "\n").map { try members(String($0)) }
        #expect(lines.map { $0["id"] as? String } == ["A", nil, "C"])
        #expect(lines[1]["line"] as? Int == 3)
        #expect(lines[1]["reason"] as? String == "“n/a” is not an absolute http or https URL")
        #expect(lines[2]["url"] as? String == "\(Self.place)/2.jpg")
        #expect(lines[2]["title"] as? String == "Three" && lines[2]["expires"] is Int)
        let (running, address) = try await maze.serve(environment: keys)
        for path in paths + lines.compactMap({ $0["path"] as? String }) {
            #expect(try await PlayedTVMaze.get(address + path).status == 200)
        }
        #expect(await running.terminate() == 0)
        let unsigned = try await maze.run(arguments)
        #expect(unsigned.status == 78 && unsigned.output.isEmpty)
        for arguments in [
            ["sign", "--level", "m"], ["sign", "x", "--list", list, "--level", "m"],
        ] {
            #expect(try await maze.run(arguments, environment: keys).status == 64)
        }
    }

    @Test func `a manifest has each row of the list, in its order`() async throws {
        let maze = try await PlayedTVMaze(shows: 3)
        maze.origin.on("/original/2.jpg", .status(404))
        let list = try maze.directory.write(
            Array(
                """
                sku,name,poster_url
                A,One,\(Self.place)/1.jpg
                B,Two,\(Self.place)/2.jpg
                C,One again,\(Self.place)/1.jpg
                D,,n/a
                E,Three,\(Self.place)/3.jpg

                """.utf8), to: "posters.csv")
        let manifest = maze.directory.file("manifest.jsonl")
        let finished = try await maze.run([
            "warm", list, "--levels", "xs", "--manifest", manifest,
        ])
        #expect(finished.status == 3)
        #expect(
            finished.error.contains("posters.csv:5: “n/a” is not an absolute http or https URL."))
        let entries = try String(contentsOfFile: manifest, encoding: .utf8)
            .split(separator: "\n").compactMap { WarmManifest.Entry(String($0)) }
        #expect(
            entries.map { "\($0.id ?? "") \($0.title ?? "") \($0.status)" } == [
                "A One picture", "B Two placeholder", "C One again picture", "  unreadable",
                "E Three picture",
            ])
        let bad = entries[3]
        #expect(bad.line == 5 && bad.item == nil)
        #expect(bad.reason == "“n/a” is not an absolute http or https URL")
    }

    @Test func `a manifest of a list of the settings has the rows that can't be read, too`()
        async throws
    {
        let maze = try await PlayedTVMaze(shows: 2)
        let list = try write([("A", "1.jpg"), ("B", "2.jpg")], maze)
        try writeFile(
            list,
            try String(contentsOfFile: list, encoding: .utf8)
                .replacing("B,", with: "X,n/a\nA,\(Self.place)/2.jpg\nB,"))
        let settings = maze.directory.file("settings.yaml")
        try writeFile(settings, "lists: {posters: \(list)}\n")
        let manifest = maze.directory.file("manifest.jsonl")
        let finished = try await maze.run([
            "warm", "posters", "--levels", "xs", "--manifest", manifest, "--config", settings,
        ])
        #expect(finished.status == 3)
        let entries = try String(contentsOfFile: manifest, encoding: .utf8)
            .split(separator: "\n").compactMap { WarmManifest.Entry(String($0)) }
        #expect(
            entries.map { "\($0.item ?? "line \($0.line ?? 0)") \($0.status)" } == [
                "posters/picture/A picture", "line 3 unreadable", "posters/picture/A picture",
                "posters/picture/B picture",
            ])
    }

    @Test func `warming a file that is a list of the settings fills the list's items`() async throws
    {
        let maze = try await PlayedTVMaze(shows: 2)
        let list = try write([("A", "1.jpg"), ("B", "2.jpg")], maze)
        let settings = maze.directory.file("settings.yaml")
        try writeFile(settings, "lists: {posters: \(list)}\n")
        let options = ["--levels", "xs", "--config", settings]
        #expect(try await maze.run(["warm", list] + options).status == 0)
        let asked = maze.origin.log.requests.count
        let dry = try await maze.run(["warm", "posters", "--dry-run", "--json"] + options)
        let forecast = try members(dry.output)
        #expect(forecast["requests"] as? Int == 0 && forecast["fresh"] as? Int == 2, "\(dry)")
        let explained = try await maze.run([
            "explain", "posters/picture/B", "--stored", "--config", settings,
        ])
        #expect(explained.output.contains("\(Self.place)/2.jpg"), "\(explained)")
        #expect(maze.origin.log.requests.count == asked)
    }

    @Test func `a list whose file is missing fails the check of the settings, and a first start`()
        async throws
    {
        let maze = try await PlayedTVMaze(shows: 2)
        let list = try write([("A", "1.jpg"), ("B", "2.jpg")], maze)
        let settings = maze.directory.file("settings.yaml")
        try writeFile(settings, "lists: {posters: \(list)}\n")
        let options = ["--config", settings]
        let check = ["config", "--check"] + options
        #expect(try await Executable.run(check, in: maze.directory.path).status == 0)
        let kept = try LocalFile.read(list, limit: 1 << 20)
        try FileManager.default.removeItem(atPath: list)
        let sentence =
            "vitrine: The list “posters” can't be read. Can't read \(list): No such file or "
            + "directory.\n"
        let checked = try await Executable.run(check, in: maze.directory.path)
        #expect(checked.error == sentence && checked.status == 78)
        let started = try await maze.run(["serve", "--port", "0"] + options)
        #expect(started.error == sentence && started.status == 78)
        // Once it was read, the list is shown as it was.
        try maze.directory.write(kept, to: "posters.csv")
        #expect(try await maze.run(["warm", "posters", "--levels", "xs"] + options).status == 0)
        try FileManager.default.removeItem(atPath: list)
        let (running, address) = try await maze.serve(options)
        let picture = try await PlayedTVMaze.get("\(address)/t/xs/posters/picture/B.jpg")
        #expect(picture.status == 200)
        #expect(await running.terminate() == 0)
    }

    @Test(.enabled(if: SyncWatch.isPossible && !Sanitizer.isAtWork))
    func `all bytes of a list's index are synced before it has its name`() async throws {
        let maze = try await PlayedTVMaze(shows: 1)
        let list = try write([("A", "1.jpg"), ("B", "2.jpg")], maze)
        let settings = maze.directory.file("settings.yaml")
        try writeFile(settings, "lists: {posters: \(list)}\n")
        let watch = try await SyncWatch(root: maze.directory.path)
        let dry = try await maze.run(
            ["warm", "posters", "--dry-run", "--no-sample", "--config", settings],
            environment: watch.environment)
        #expect(dry.status == 0, "\(dry)")
        let index = maze.directory.file("cache/lists/posters.index")
        #expect(try watch.synced(index) == LocalFile.read(index, limit: 1 << 20))
        #expect(try !watch.earlyNames().contains(index))
    }

    @Test func `a list without URLs is refused in one sentence`() async throws {
        let maze = try await PlayedTVMaze(shows: 1)
        let rows = (1...50).map { "\($0),T\($0),p\($0).jpg" }
        let list = try maze.directory.write(
            Array((["sku,name,poster_url"] + rows).joined(separator: "\n").utf8), to: "posters.csv")
        let finished = try await maze.run(["warm", list])
        #expect(finished.status == 1)
        #expect(
            finished.error.hasSuffix(
                "posters.csv: Line 1 names sku, name, poster_url; none is a URL column. Say "
                    + "--url-column poster_url.\n"))
        // The first says where the cache is that was made.
        #expect(finished.error.filter { $0 == "\n" }.count == 2)
    }

    @Test func `an item without a picture is tried again only if that is asked for`() async throws {
        let maze = try await PlayedTVMaze(shows: 2)
        let list = try write([("A", "1.jpg"), ("B", "2.jpg")], maze)
        let manifest = maze.directory.file("manifest.jsonl")
        let picture = FixtureImages.jpeg(width: 120, height: 180, seed: 2)
        maze.origin.on("/original/2.jpg", .status(404))
        func asked() -> [Int] {
            ["1", "2"].map { maze.origin.log.count("/original/\($0).jpg") }
        }
        func warm(_ what: String...) async throws -> Executable.Finished {
            try await maze.run(["warm"] + what + ["--levels", "xs"])
        }
        #expect(try await warm(list, "--manifest", manifest).status == 0)
        let strict = try await warm(list, "--strict")
        #expect(
            strict.output.contains(
                "\nnot tried again: 1 item that was without a picture before, because"))
        #expect(strict.status == 3)
        #expect(asked() == [1, 1])
        maze.origin.on("/original/2.jpg", .ok(picture, type: "image/jpeg"))
        #expect(try await warm("--retry", manifest).output.hasPrefix("✓ Failures of "))
        #expect(asked() == [1, 1])
        let retried = maze.directory.file("retried.jsonl")
        let retry = ["--retry", manifest, "--retry-placeholders", "--manifest", retried]
        #expect(try await maze.run(["warm"] + retry + ["--levels", "xs"]).status == 0)
        #expect(asked() == [1, 2])
        let line = try String(contentsOfFile: retried, encoding: .utf8)
        #expect(WarmManifest.Entry(line)?.id == "B")
        #expect(try await warm(list, "--force", "--strict").status == 0)
        #expect(asked() == [2, 3])
    }

    @Test func `a list of the settings is warmed, explained, pinned and served`() async throws {
        let maze = try await PlayedTVMaze(shows: 2)
        let list = try write([("A", "1.jpg"), ("B", "2.jpg")], maze)
        let settings = maze.directory.file("settings.yaml")
        try writeFile(settings, "lists: {posters: \(list)}\n")
        let options = ["--config", settings]
        let warmed = try await maze.run(["warm", "posters", "--levels", "xs"] + options)
        #expect(warmed.output.hasPrefix("✓ posters  2 of 2"), "\(warmed)")
        #expect(warmed.status == 0)
        let explained = try await maze.run(["explain", "posters/picture/B"] + options)
        #expect(explained.output.contains("\(Self.place)/2.jpg"), "\(explained)")
        #expect(try await maze.run(["cache", "pin", "posters/picture/A"] + options).status == 0)
        let stats = try await maze.run(["cache", "stats", "--json"] + options)
        let counts = try members(stats.output)
        #expect(counts["pinnedItems"] as? Int == 1)
        #expect(counts["pinnedBytes"] as? Int ?? 0 > 0)
        let (running, address) = try await maze.serve(options)
        let picture = try await PlayedTVMaze.get("\(address)/t/xs/posters/picture/B.jpg")
        #expect(picture.status == 200 && picture.header("cache-status") == "vitrine; hit")
        #expect(await running.terminate() == 0)
    }

    @Test
    func `a dry run of a list of the settings counts rows that can't be read, and its status is 3`()
        async throws
    {
        let maze = try await PlayedTVMaze(shows: 2)
        let list = try write(
            [("A", "1.jpg"), ("B", "2.jpg"), ("A", "2.jpg"), ("C", "3.jpg")], maze)
        try writeFile(list, try String(contentsOfFile: list, encoding: .utf8) + "D,n/a\n")
        let settings = maze.directory.file("settings.yaml")
        try writeFile(settings, "lists: {posters: \(list)}\n")
        let dry = try await maze.run([
            "warm", "posters", "--dry-run", "--no-sample", "--config", settings,
        ])
        #expect(
            dry.output.hasPrefix("5 rows: 1 repeats an earlier one, 1 can't be read\n3 items: "),
            "\(dry)")
        #expect(dry.error.contains("posters: 1 row can't be read."), "\(dry)")
        #expect(maze.origin.log.requests.isEmpty)
        #expect(dry.status == 3)
    }

    @Test func `a row on a private network is refused, and says which setting allows it`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let list = try directory.write(
            Array("sku,poster\nA,http://127.0.0.1/1.jpg\n".utf8), to: "posters.csv")
        let settings = directory.file("settings.yaml")
        try writeFile(settings, "lists: {posters: \(list)}\n")
        let finished = try await Executable.run(
            ["warm", "posters", "--config", settings, "--cache", directory.file("cache")],
            in: directory.path)
        #expect(finished.status == 3)
        #expect(finished.error.contains("posters/picture/A: "), "\(finished.error)")
        #expect(
            finished.error.contains("unless fetch.allowNetworks names its network"),
            "\(finished.error)")
    }
}
