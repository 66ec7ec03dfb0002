import Catalog
import Foundation
import HTTPTypes
import Imaging
import Pipeline
import PipelineSupport
import TestSupport
import Testing

@testable import Serve

/// Warm runs of the service: what a request can ask for, their list, their events, the schedule.
@Suite(.timeLimit(.minutes(1))) struct AdminWarmTests {
    private func harness(_ shows: Int) async throws -> Harness {
        let harness = try await Harness()
        for id in 1...shows {
            harness.servePicture(id)
        }
        let list = (1...shows).map { Harness.show($0, medium: nil) }.joined(separator: ",")
        harness.origin.on("/shows", host: Harness.apiHost) { request in
            request.query == "page=0" ? .json("[\(list)]") : .status(404)
        }
        return harness
    }

    /// Starts a run, waits for its end and returns it.
    private func run(_ client: AdminClient, _ body: String) async throws -> [String: Any] {
        let started = await client.ask(.post, "/admin/warm", body)
        #expect(started.status == .accepted, "\(String(decoding: started.body, as: UTF8.self))")
        let place = try #require(started.fields[.location])
        var progress = try ServeTests.json(started)
        let id = try #require(progress["id"] as? String)
        #expect(place == "/admin/warm/\(id)")
        try await eventually {
            progress = try ServeTests.json(await client.ask(.get, place))
            return progress["state"] as? String != "running"
        }
        return progress
    }

    @Test(arguments: [
        ("{\"source\":\"tvmaze\",\"list\":\"shows\",\"pages\":\"0-1\"}", 3),
        ("{\"source\":\"tvmaze\",\"list\":\"shows\",\"limit\":2}", 2),
        ("{\"source\":\"tvmaze\",\"list\":\"show\",\"what\":[\"1\",\"3\"]}", 2),
        ("{\"source\":\"tvmaze\",\"list\":\"shows\",\"parameters\":{\"page\":\"0\"}}", 3),
        ("{\"items\":[\"tvmaze/show/2\"]}", 1),
        ("{\"urls\":[\"https://static.tvmaze.com/original/1.jpg\"]}", 1),
        (
            "{\"items\":[\"tvmaze/show/2\"],\"concurrency\":1,\"rate\":100,\"onlyMissing\":true,"
                + "\"priority\":\"missing\"}", 1
        ),
    ])
    func `a request names pages, words, items or URLs, as the command line does`(
        body: String, items: Int
    ) async throws {
        try await withHarness(harness(3)) { harness in
            let ended = try await run(AdminClient(harness), body)
            #expect(ended["state"] as? String == "done", "\(ended)")
            let summary = try #require(ended["summary"] as? [String: Any])
            #expect(summary["items"] as? Int == items)
            #expect(summary["originals"] as? Int == items)
        }
    }

    @Test func `an invalid run is refused`() async throws {
        try await withHarness { harness async throws in
            for body in [
                "{\"items\":[\"tvmaze/show/1\"],\"urls\":[\"https://a.example/1.jpg\"]}",
                "{\"urls\":[\"ftp://a.example/1.jpg\"]}", "{\"list\":\"shows\"}",
                "{\"items\":[\"tvmaze/show/1\"],\"pages\":\"0\"}",
                "{\"items\":[\"tvmaze/show/1\"],\"rate\":0}",
                "{\"items\":[\"tvmaze/show/1\"],\"concurrency\":0}",
                "{\"items\":[\"tvmaze/show/1\"],\"priority\":\"high\"}",
            ] {
                let refused = await AdminClient(harness).ask(.post, "/admin/warm", body)
                #expect(refused.status == .badRequest, "\(body)")
            }
        }
    }

    @Test(arguments: [
        (
            "{\"source\":\"tvmaze\",\"list\":\"shows\",\"pages\":\"3-1\"}",
            "“pages” is “3-1”; expected a page or a range, such as 0-3."
        ),
        (
            "{\"source\":\"tvmaze\",\"list\":\"show\",\"what\":[\"1\"],\"pages\":\"0\"}",
            "Items have no pages; leave “pages” out, or name a list of TVmaze."
        ),
        (
            "{\"source\":\"itunes\",\"list\":\"albums\",\"what\":[\"night\"],\"pages\":\"0\"}",
            "iTunes has no page numbers; leave “pages” out, and say with “limit” how many items "
                + "you want."
        ),
    ])
    func `a refused run names the members of the request`(
        body: String, reason: String
    ) async throws {
        try await withHarness { harness async throws in
            let refused = await AdminClient(harness).ask(.post, "/admin/warm", body)
            #expect(refused.status == .badRequest)
            #expect(try ServeTests.json(refused)["detail"] as? String == reason)
        }
    }

    @Test func `a dry run responds with a forecast, and fetches no picture`() async throws {
        try await withHarness(harness(2)) { harness in
            let ended = try await run(
                AdminClient(harness), "{\"source\":\"tvmaze\",\"list\":\"shows\",\"dryRun\":true}")
            let forecast = try #require(ended["forecast"] as? [String: Any])
            #expect(forecast["missing"] as? Int == 2)
            #expect(harness.origin.log.count("/original/1.jpg") == 0)
        }
    }

    @Test func `a run pins what it made, and says whether it has all`() async throws {
        try await withHarness(harness(2)) { harness in
            harness.origin.on("/original/2.jpg", .status(503))
            let client = AdminClient(harness)
            let pinned = try await run(client, "{\"items\":[\"tvmaze/show/1\"],\"pin\":true}")
            #expect(pinned["isPartial"] as? Bool == false)
            let summary = try #require(pinned["summary"] as? [String: Any])
            #expect((summary["pins"] as? [String: Any])?["pinned"] as? Int == 1)
            #expect(try await harness.pipeline.pins.pin([harness.item(1)]).known == 1)
            let failed = try await run(client, "{\"items\":[\"tvmaze/show/2\"]}")
            #expect(failed["state"] as? String == "done" && failed["isPartial"] as? Bool == true)
        }
    }

    @Test func `the runs are listed, and the failures of one can be repeated`() async throws {
        try await withHarness(harness(2)) { harness in
            harness.origin.on("/original/2.jpg", .status(503))
            let client = AdminClient(harness)
            let first = try await run(
                client, "{\"source\":\"tvmaze\",\"list\":\"show\",\"what\":[\"1\",\"2\"]}")
            #expect(first["name"] as? String == "tvmaze show 1 2")
            let problems = try #require(first["problems"] as? [[String: Any]])
            #expect(problems.map { $0["item"] as? String } == ["tvmaze/show/2"])
            #expect(problems.first?["status"] as? String == "failed")
            harness.origin.on("/original/2.jpg", .jpeg(FixtureImages.jpeg(width: 9, height: 9)))
            harness.clock.advance(by: 60)
            let id = try #require(first["id"] as? String)
            let second = try await run(client, "{\"retry\":\"\(id)\"}")
            let summary = try #require(second["summary"] as? [String: Any])
            #expect((summary["items"] as? Int, summary["failed"] as? Int) == (1, 0))
            let all = try ServeTests.json(await client.ask(.get, "/admin/warm"))
            let runs = try #require(all["runs"] as? [[String: Any]])
            #expect(Set(runs.compactMap { $0["id"] as? String }).count == 2)
            let unknown = await client.ask(.post, "/admin/warm", "{\"retry\":\"0\"}")
            #expect(unknown.status == .notFound)
        }
    }

    @Test func `a run can be canceled`() async throws {
        try await withHarness(harness(1)) { harness in
            let gate = Gate()
            harness.origin.on("/original/1.jpg", .status(503).delayed(until: gate))
            let client = AdminClient(harness)
            let started = await client.ask(.post, "/admin/warm", "{\"items\":[\"tvmaze/show/1\"]}")
            let place = try #require(started.fields[.location])
            try await harness.origin.wait { $0.count("/original/1.jpg") == 1 }
            let canceled = try ServeTests.json(await client.ask(.delete, place))
            #expect(canceled["state"] as? String == "canceled")
            #expect(canceled["endedAt"] != nil)
            #expect(await client.ask(.delete, "/admin/warm/0").status == .notFound)
            gate.open()
        }
    }

    private func events(_ client: AdminClient, _ place: String) async -> Response {
        var fields = AdminClient.json
        fields[.accept] = "text/event-stream"
        return await client.ask(.get, place, "", fields)
    }

    @Test func `a run's progress comes as server-sent events until its end`() async throws {
        try await withHarness(harness(1)) { harness in
            let gate = Gate()
            let picture = FixtureImages.jpeg(width: 68, height: 100, seed: 1)
            harness.origin.on("/original/1.jpg", .jpeg(picture).delayed(until: gate))
            let client = AdminClient(harness)
            let started = await client.ask(.post, "/admin/warm", "{\"items\":[\"tvmaze/show/1\"]}")
            let place = try #require(started.fields[.location])
            let stream = await events(client, place)
            #expect(stream.status == .ok)
            #expect(stream.fields[.contentType] == "text/event-stream")
            #expect(stream.fields[.contentLength] == nil)
            let body = try #require(stream.events)
            var pieces = body().makeAsyncIterator()
            let first = String(decoding: try #require(await pieces.next()), as: UTF8.self)
            #expect(first.hasPrefix("event: progress\ndata: {") && first.hasSuffix("}\n\n"))
            gate.open()
            var last = first
            while let piece = await pieces.next() { last = String(decoding: piece, as: UTF8.self) }
            #expect(last.hasPrefix("event: end\ndata: {") && last.contains("\"done\""))
            // A run that has ended is told at once.
            let late = String(
                decoding: try await events(client, place).collected(), as: UTF8.self)
            #expect(late.contains("event: end\n"))
        }
    }

    /// Starts a run of show 1 over a connection, and returns its path.
    private func start(over connection: RawConnection) async throws -> String {
        let body = "{\"items\":[\"tvmaze/show/1\"]}"
        let fields =
            "Authorization: Bearer \(AdminClient.token)\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\n"
        try await connection.send(request("/admin/warm", fields, method: "POST") + body)
        return try #require(await connection.answers(1).first?.fields["location"])
    }

    @Test func `events end when the server stops, so that its connections can close`()
        async throws
    {
        let gate = Gate()
        try await RunningServer.with(harness(1), { $0.adminToken = AdminToken(AdminClient.token) })
        {
            harness, server in
            harness.origin.on("/original/1.jpg", .status(503).delayed(until: gate))
            let place = try await start(over: server.connect())
            let connection = try await server.connect()
            try await connection.send(
                request(
                    place,
                    "Authorization: Bearer \(AdminClient.token)\r\nAccept: text/event-stream\r\n"))
            let event = Array("event: progress\ndata: ".utf8)
            let begin = await connection.received { $0.firstRange(of: event) != nil }
            let text = String(decoding: begin, as: UTF8.self)
            #expect(text.lowercased().contains("transfer-encoding: chunked"))
            server.stopAccepting()
            let end = Array("\r\n0\r\n\r\n".utf8)
            let all = await connection.received { $0.firstRange(of: end) != nil }
            #expect(all.firstRange(of: end) != nil)
            gate.open()
        }
    }

    @Test func `events come over HTTP/2 too, and end their stream`() async throws {
        let gate = Gate()
        try await TLSSite.with(harness(1), { $0.adminToken = AdminToken(AdminClient.token) }) {
            harness, site in
            harness.servePicture(until: gate)
            let place = try await start(over: site.connect())
            let client = try await site.http2()
            let fields = [
                ("authorization", "Bearer \(AdminClient.token)"), ("accept", "text/event-stream"),
            ]
            let stream = try await client.ask(place, fields: fields)
            let begun = await client.state { $0.streams[stream]?.bytes ?? 0 > 0 }
            #expect(begun.streams[stream]?.status == 200)
            #expect(begun.streams[stream]?.isEnded == false)
            gate.open()
            let ended = await client.state { $0.streams[stream]?.isEnded == true }
            #expect(ended.streams[stream]?.reset == nil)
        }
    }

    @Test func `a scheduled list is warmed by itself, and listed`() async throws {
        let harness = try await Harness(configure: { configuration in
            var job = WarmSchedule.Job(source: "tvmaze", list: "shows", every: .seconds(86_400))
            job.pages = "0"
            job.formats = [.jpeg]
            configuration.warm.jobs = [job]
            configuration.warm.levels = ["xs"]
        })
        try await withHarness(harness) { harness in
            harness.servePicture()
            harness.origin.on(
                "/shows", host: Harness.apiHost, .json("[\(Harness.show(1, medium: nil))]"))
            let jobs = WarmJobs(harness.pipeline)
            let background = Background(
                harness.pipeline, jobs, Harness.silentLogger,
                random: { 0 })
            background.start()
            await eventually { jobs.all.first?.state == .done }
            let job = try #require(jobs.all.first)
            #expect(job.isScheduled && job.name == "tvmaze shows --pages 0")
            #expect((job.summary.items, job.summary.thumbnails) == (1, 1))
            let xs = try harness.pipeline.level("xs")
            let made = try await harness.pipeline.pictures.picture(
                of: harness.item(1), level: xs, format: .jpeg)
            #expect(made.outcome == .hit)
            await background.end()
        }
    }

    @Test func `pictures of pins that an earlier layout had are made again, and no others`()
        async throws
    {
        let harness = try await Harness(configure: { configuration in
            configuration.warm.formats = [.webp]
            configuration.warm.levels = ["xs"]
        })
        try await withHarness(harness) { harness in
            harness.servePicture()
            let pins = harness.pipeline.pins
            _ = try await pins.pin([harness.item(1)])
            #expect(try await pins.leftBehind().isEmpty)
            try FileManager.default.createDirectory(
                atPath: harness.directory.file("v1"), withIntermediateDirectories: true)
            let jobs = WarmJobs(harness.pipeline)
            let background = Background(
                harness.pipeline, jobs, Harness.silentLogger)
            background.start()
            await eventually { jobs.all.first?.state == .done }
            let job = try #require(jobs.all.first)
            #expect(job.isScheduled && job.name == "pinned items")
            #expect((job.summary.items, job.summary.thumbnails) == (1, 1))
            await background.end()
            #expect(try await pins.leftBehind().isEmpty)
        }
    }
}
