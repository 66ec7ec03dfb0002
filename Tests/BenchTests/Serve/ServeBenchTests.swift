import ArgumentParser
import Foundation
import Testing
import Threads

@testable import Console
@testable import vitrine_bench

@Suite(.timeLimit(.minutes(1))) struct ServeBenchTests {
    @Test func `a metric is summed over its labels and apart from longer names`() {
        let text = """
            # HELP fetches_total Fetches.
            # TYPE fetches_total counter
            fetches_total{host="a.example"} 3
            fetches_total{host="b.example"} 4
            fetches_total_more{host="a.example"} 100
            other 7

            """
        #expect(ColdRows.sum(of: "fetches_total", in: text) == 7)
        #expect(ColdRows.sum(of: "other", in: text) == 7)
        #expect(ColdRows.sum(of: "missing", in: text) == 0)
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080/t/m/tvmaze/show/1", 8_080, "/t/m/tvmaze/show/1"),
        ("http://localhost:81", 81, "/"),
        ("http://localhost/a?b=c", 80, "/a?b=c"),
    ])
    func `a URL of this machine is taken apart`(url: String, port: Int, path: String) throws {
        let target = try ServeTarget(url)
        #expect(target.port == port)
        #expect(target.path == path)
    }

    @Test(arguments: [
        "http://example.com/a", "https://127.0.0.1/a", "127.0.0.1:80/a", "http://127.0.0.1:0/a",
        "http://127.0.0.1:x/a", "http://127.0.0.1.example.com/",
    ])
    func `load is refused for every other URL`(url: String) {
        #expect(throws: ValidationError.self) { try ServeTarget(url) }
    }

    @Test func `rates are numbers with commas between`() throws {
        let options = try ServeBenchOptions.parse(["--rates", "500,20000"])
        #expect(try options.rateValues() == [500, 20_000])
        for bad in ["", "fast", "100,", "0", "-1", "1,x"] where bad != "100," {
            #expect(throws: (any Error).self) { try ServeBenchOptions.parse(["--rates=\(bad)"]) }
        }
    }

    @Test(arguments: [
        ("nginx version: nginx/1.22.1\n", "1.22.1"),
        ("3.0.0", "3.0.0"), ("h2o version 2.2.5\nOpenSSL: OpenSSL 3.0.22\n", "2.2.5"),
    ])
    func `a peer's version is found in what it prints`(text: String, version: String) {
        #expect(Peer.version(in: text) == version)
    }

    @Test(arguments: [
        ("no such option", "", nil), ("libvips 8.14.1", "libvips", "8.14.1"),
        ("usage of 1.2: convert A B", "libvips", nil),
    ])
    func `a program is known by its version, not by its name`(
        text: String, marker: String, version: String?
    ) {
        #expect(Peer.version(in: text, after: marker) == version)
    }

    @Test(arguments: [true, false])
    func `nginx calls a document compressed where one lies`(isCompressed: Bool) throws {
        let document = try #require(
            ServedDocument.all.first { ($0.effort != nil) == isCompressed })
        let nginx = Nginx(
            program: "/nginx", files: "/files", identity: "/identity",
            context: try .sample("/work"), processors: nil)
        let rules = nginx.rules(80, "/work", isSecure: false)
        #expect(!rules.contains("ssl"))
        // Rules of each location, up to its end.
        let rule = try #require(
            rules.components(separatedBy: "location ").dropFirst()
                .first { document.filePath.hasPrefix($0.prefix { $0 != " " }) })
        let body = rule.prefix { $0 != "}" }
        #expect(body.contains("add_header Content-Encoding gzip;") == isCompressed)
    }

    @Test(arguments: ServedDocument.all.map(\.filePath))
    func `h2o calls a document compressed where one lies`(path: String) throws {
        let server = H2O(
            program: "/h2o", files: "/files", identity: "/identity",
            context: try .sample("/work"), processors: nil)
        #expect(server.rules(80, isSecure: true).contains("key-file: /identity/key.pem"))
        let rules = server.rules(80, isSecure: false)
        #expect(!rules.contains("ssl"))
        // Rules of each path, up to the next one.
        let rule = try #require(
            rules.components(separatedBy: "\n      \"").dropFirst().last {
                path.hasPrefix($0.prefix { $0 != "\"" })
            })
        #expect(rule.contains("Content-Encoding: gzip") == path.hasPrefix("/documents/gzip/"))
        #expect(rule.contains("X-Content-Type-Options: nosniff"))
    }

    @Test func `what was started is stopped once, in reverse`() async {
        let stopped = Stopped()
        let closers = BenchClosers()
        closers.add { await stopped.note("first") }
        closers.add { await stopped.note("second") }
        await closers.close()
        await closers.close()
        #expect(await stopped.names == ["second", "first"])
    }

    @Test func `the end runs after a failure, too`() async {
        let stopped = Stopped()
        await #expect(throws: CommandError("No.")) {
            try await withEnd({
                await stopped.note("end")
            }) {
                throw CommandError("No.")
            }
        }
        #expect(await stopped.names == ["end"])
    }

    @Test func `rows have ids of their own, and a server that has what they request`() {
        let rows = ServeRow.all(rates: [1_000, 10_000])
        #expect(Set(rows.map(\.what)).count == rows.count)
        let disk = rows.filter { $0.server == .disk }
        #expect(disk.map(\.what[0]) == ["disk", "disk", "disk", "disk"])
        #expect(rows.allSatisfy { ($0.server == .tls) == !$0.h2load.isEmpty })
    }

    @Test(arguments: [
        // Fetching 2 s and rendering 6 s: the longer one alone, both in a row, half hidden.
        (6.0, 1.0), (8.0, 0.0), (7.0, 0.5), (9.0, 0.0), (5.0, 1.0),
    ])
    func `overlap is the part of the shorter stage that disappears`(together: Double, share: Double)
    {
        #expect(WarmWork.overlap(2, 6, together: together) == share)
        #expect(WarmWork.overlap(6, 2, together: together) == share)
    }

    @Test func `results come in the order of their values, however long each takes`() async throws {
        let (sixth, isDone) = AsyncStream.makeStream(of: Void.self)
        let results = try await Array(0..<50).mapped(concurrency: 7) { value in
            // The first one ends after the sixth.
            if value == 0 { for await _ in sixth {} }
            if value == 5 { isDone.finish() }
            return value * 2
        }
        #expect(results == (0..<50).map { $0 * 2 })
    }

    private actor Stopped {
        private(set) var names: [String] = []

        func note(_ name: String) { names.append(name) }
    }
}

@Suite(.timeLimit(.minutes(1))) struct H2LoadTests {
    private static let output = """
        starting benchmark...
        Warm-up phase is over for thread #0.

        finished in 3.00s, 41233.67 req/s, 1.23GB/s
        requests: 123701 total, 123829 started, 123701 done, 123690 succeeded, 11 failed, 0 errored, 0 timeout
        status codes: 123690 2xx, 0 3xx, 11 4xx, 0 5xx
        traffic: 1.75GB (1883334048) total, 3.38MB (3546080) headers (space savings 87.6%), 1.74GB (1872341122) data
                             min         max         mean         sd        +/- sd
        time for request:      151us     12.31ms       985us       401us    83.71%
        """

    @Test func `h2load's summary is read`() {
        let outcome = LoadOutcome(h2load: Self.output)
        #expect(outcome.map { abs($0.rate - 41_230) < 1 } == true)
        #expect(outcome?.responses == 123_701)
        #expect(outcome?.errors == 11)
    }

    @Test func `output without a summary is none`() {
        #expect(LoadOutcome(h2load: "starting benchmark...\n") == nil)
    }
}
