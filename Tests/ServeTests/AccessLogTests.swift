import Catalog
import HTTPTypes
import Logging
import Pipeline
import PipelineSupport
import Store
import TestSupport
import Testing

@testable import Serve

/// Lines in the log, by requests over a socket.
@Suite(.timeLimit(.minutes(1))) struct AccessLogTests {
    /// The log lines of a miss, a hit, a probe, a poll of the gallery and an unknown path.
    private func lines(
        _ access: AccessLog, _ level: Logger.Level = .info
    ) async throws -> [RecordedLog.Line] {
        let harness = try await Harness()
        harness.servePicture(width: 340, height: 500, maxAge: 100)
        let log = RecordedLog()
        try await RunningServer.with(
            harness.pipeline, { $0.accessLog = access }, logger: log.logger(level)
        ) { running in
            let named = "X-Request-Id: one\r\n"
            for (path, fields) in [
                ("/t/m/tvmaze/show/1?key=secret", named), ("/t/m/tvmaze/show/1", ""),
                ("/healthz", named), ("/v1/status", named), ("/nothing/secret", named),
            ] {
                let client = try await running.connect()
                try await client.send(request(path, fields + "Connection: close\r\n"))
                _ = await client.receivedUntilClosed()
            }
        }
        try await harness.close()
        return log.all.filter { $0.message == "request" }
    }

    @Test func `requests other than memory hits are logged without their query`() async throws {
        let lines = try await lines(.slow)
        #expect(lines.map { $0.fields["path"] } == ["/t/m/tvmaze/show/1", "/nothing/secret"])
        let miss = try #require(lines.first)
        #expect(miss.level == .info)
        for (key, value) in [
            "method": "GET", "route": "/t/", "status": "200", "request": "one",
            "cache": "vitrine; fwd=miss; stored", "client": "127.0.0.1",
        ] {
            #expect(miss.fields[key] == value, "\(key)")
        }
        #expect(try #require(miss.fields["bytes"].flatMap { Int($0) }) > 0)
        #expect(try #require(miss.fields["ms"].flatMap { Double($0) }) > 0)
        #expect(lines.allSatisfy { !$0.fields.values.contains { $0.contains("key=") } })
    }

    @Test func `memory hits are logged only if configured`() async throws {
        let all = try await lines(.all)
        #expect(
            all.map { $0.fields["cache"] } == ["vitrine; fwd=miss; stored", "vitrine; hit", "-"])
        #expect(all.count == 3 && all.allSatisfy { $0.level == .info })
        #expect(all.allSatisfy { $0.fields["client"] == "127.0.0.1" })
        #expect(all.allSatisfy { $0.fields["request"] != nil })
        #expect(try await lines(.off).isEmpty)
        #expect(try await lines(.off, .debug).count == 5)
        #expect(try await lines(.all, .warning).isEmpty)
    }

    @Test func `unreadable requests are logged too`() async throws {
        try await withHarness { harness in
            let log = RecordedLog()
            let long = String(repeating: "x", count: 9_000)
            try await RunningServer.with(harness.pipeline, logger: log.logger(.info)) { running in
                for (sent, status) in [
                    ("GET /t/m/url/secret\(long) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
                    (
                        "GET /healthz HTTP/1.1\r\nHost: a\r\nX: \(long)\(long)\(long)\(long)\r\n\r\n",
                        431
                    ),
                    ("SSH-2.0-x\r\n", 400),
                    ("BREW /secret HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 501),
                ] {
                    let client = try await running.connect()
                    try await client.send(sent)
                    let answers = RawAnswer.parse(await client.receivedUntilClosed())
                    #expect(answers.map(\.status) == [status])
                    let line = try #require(log.all.last)
                    #expect(line.fields["status"] == "\(status)")
                    #expect(line.fields["client"] == "127.0.0.1")
                    #expect(line.fields["request"] == answers.first?.fields["x-request-id"])
                    #expect(answers.first?.fields["date"] != nil)
                }
            }
            #expect(
                log.all.map { $0.fields["path"] } == ["/t/m/url/…", "/healthz", "-", "/secret"])
        }
    }

    @Test(arguments: [
        ("/t/m/tvmaze/show/1", "/t/m/tvmaze/show/1"), ("/t/m/url/code/aHR0", "/t/m/url/…"),
        ("/t/m/%75rl/code/aHR0", "/t/m/url/…"), ("/t/m/u%72%6C/code/aHR0.webp", "/t/m/url/…"),
        ("/t/m/url%2Fcode%2FaHR0", "/t/m/url/…"), ("/t/m/URL%2fcode%2faHR0", "/t/m/url/…"),
        ("/v1/url/image/aHR0", "/v1/url/…"), ("/o/%75RL/image/x", "/o/url/…"),
        ("/iiif/3/url%2Fcode%2FaHR0/info.json", "/iiif/3/url/…"),
        ("/iiif/3/%75rl%2Fcode%2FaHR0/info.json", "/iiif/3/url/…"),
        ("/iiif/2/u%72l%2fcode%2faHR0%2F1700000000/full/max/0/default.jpg", "/iiif/2/url/…"),
        ("/iiif/3/ur%6C%2Fcode%2FaHR0", "/iiif/3/url/…"),
        ("/iiif/presentation/3/%75rl%2Fcode%2FaHR0/manifest", "/iiif/presentation/3/url/…"),
        ("/t/m/%75rl%2Fcode%2FaHR0", "/t/m/url/…"), ("/t/m/%55%52%4C/code/aHR0", "/t/m/url/…"),
        ("/v1/favorites/%75rl/code/aHR0", "/v1/favorites/url/…"),
        ("/v1/explain/%75rl%2Fcode/aHR0", "/v1/explain/url/…"),
        // Encoded again by mistake, with another separator, cut off, not UTF-8.
        ("/iiif/3/%2575rl%252Fcode%252FaHR0/info.json", "/iiif/3/url/…"),
        ("/iiif/3/%2575rl%252Fcode%25", "/iiif/3/url/…"),
        ("/iiif/3/%252575rl%25252Fcode", "/iiif/3/url/…"),
        ("/iiif/3/%25252575rl%2525252Fcode", "/iiif/3/…"),
        ("/t/m/url%5Ccode%5CaHR0", "/t/m/url/…"), ("/t/m/url;code/aHR0", "/t/m/url/…"),
        ("/iiif/3/%75rl%2Fcode%2", "/iiif/3/…"), ("/iiif/3/%75rl%FFcode/info.json", "/iiif/3/…"),
        // Names that begin alike, and a percent sign that is part of a name.
        ("/t/m/urls/picture/1", "/t/m/urls/picture/1"),
        ("/t/m/url-list/picture/1", "/t/m/url-list/picture/1"),
        ("/t/m/pics/file/100%25%20a.jpg", "/t/m/pics/file/100%25%20a.jpg"),
        ("/iiif/3/tvmaze%2Fshow%2F1/info.json", "/iiif/3/tvmaze%2Fshow%2F1/info.json"), ("/", "/"),
    ])
    func `the path of a signed URL is logged without it, however it is spelled`(
        path: String, shown: String
    ) {
        #expect(RequestLog.shown(path) == shown)
    }

    @Test(arguments: [Failure.Kind.storeUnusable, .diskFull, .unexpected])
    func `the cause of a server error is only in the log`(kind: Failure.Kind) throws {
        let answer = ErrorResponse.problem(Failure(kind, "/var/cache/secret")).answer
        #expect(answer.status.code >= 500)
        #expect(!String(decoding: answer.body, as: UTF8.self).contains("secret"))
        let log = RecordedLog()
        RequestLog(
            method: "GET", path: "/o/tvmaze/show/1", status: answer.status.code, bytes: 0,
            cache: "-", identity: RequestIdentity([.xRequestID: "one"]), cause: answer.cause
        ).write(log.logger(.error), .off)
        let line = try #require(log.all.first)
        #expect(line.level == .error && line.fields["request"] == "one")
        #expect(line.fields["cause"] == "/var/cache/secret")
    }
}
