import Fetch
import Foundation
import JSON
import PlayedAPIs
import TestSupport
import Testing

/// The running program as operators see it: certificates, signals, the admin token.
@Suite(.timeLimit(.minutes(1))) struct OperateTests {
    /// Writes a certificate of these names, and returns the variables that name its files.
    private func encrypt(_ maze: PlayedTVMaze, _ names: [String]) throws -> [String: String] {
        let issued = try maze.authority.issue(names: names)
        return [
            "VITRINE_SERVER_TLS_CERTIFICATE": try maze.directory.write(
                issued.certificate.utf8, to: "server.pem"),
            "VITRINE_SERVER_TLS_KEY": try maze.directory.write(
                issued.key.utf8, to: "server.key"),
        ]
    }

    @Test func `a server with a certificate speaks HTTP/2 and reloads the certificate on SIGHUP`()
        async throws
    {
        let maze = try await PlayedTVMaze(shows: 1)
        let (running, address) = try await maze.serve(environment: encrypt(maze, ["localhost"]))
        #expect(address.hasPrefix("https://127.0.0.1:"))
        for expected in ["vitrine; fwd=miss; stored", "vitrine; hit"] {
            let answer = try await PlayedTVMaze.get(
                address + "/t/s/tvmaze/show/1.jpg", caFile: maze.authority.file)
            #expect(answer.status == 200)
            #expect(answer.timings.httpVersion == "2")
            #expect(answer.header("cache-status") == expected)
        }
        // A key that doesn't belong to the certificate changes nothing; one that does counts.
        let other = try CertificateAuthority()
        let fresh = try other.issue(names: ["localhost"])
        try maze.directory.write(fresh.certificate.utf8, to: "server.pem")
        running.signal(SIGHUP)
        #expect(await running.line(containing: "settings were not read again") != nil)
        let health = address + "/healthz"
        #expect(try await PlayedTVMaze.get(health, caFile: maze.authority.file).status == 200)
        try maze.directory.write(fresh.key.utf8, to: "server.key")
        running.signal(SIGHUP)
        #expect(await running.line(containing: "settings were read again") != nil)
        #expect(try await PlayedTVMaze.get(health, caFile: other.file).status == 200)
        #expect(await running.terminate() == 0)
    }

    @Test func `config asks a running service for the limits in force`() async throws {
        let maze = try await PlayedTVMaze(shows: 1)
        let (running, address) = try await maze.serve()
        let port = try #require(address.split(separator: ":").last.map(String.init))
        let asked = try await maze.run(["config"], environment: ["VITRINE_SERVER_PORT": port])
        let rows = asked.output.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(rows.contains { $0 == ["service", "http://127.0.0.1:\(port)"[...]] }, "\(asked)")
        #expect(rows.contains { $0.first?.hasPrefix("vitrine_disk_limit_bytes") == true })
        #expect(rows.contains { $0.first?.hasPrefix("vitrine_memory_share_limit_bytes") == true })
        #expect(await running.terminate() == 0)
        let alone = try await maze.run(["config"], environment: ["VITRINE_SERVER_PORT": port])
        #expect(alone.status == 0)
        #expect(!alone.output.split(separator: "\n").contains { $0.hasPrefix("service ") })
    }

    @Test func `a health check asks the operator's address, and says why a service doesn't work`()
        async throws
    {
        let maze = try await PlayedTVMaze(shows: 1)
        let (running, address) = try await maze.serve(["--admin-address", "0.0.0.0:0"])
        // Without a token it listens on loopback.
        let metrics = try #require(
            await running.line(after: "vitrine: metrics at http://127.0.0.1:"))
        let place = "127.0.0.1:" + metrics.dropLast("/metrics".count)
        let asked: [([String], String)] = [([], "ok\n"), (["--ready"], "ready\n")]
        for (arguments, answer) in asked {
            let health = try await maze.run(["health", "--admin-address", place] + arguments)
            #expect(health.output == answer && health.status == 0, "\(health.error)")
        }
        let port = try #require(address.split(separator: ":").last.map(String.init))
        let beside = try await maze.run(["health", "--port", port, "--ready"])
        #expect(beside.status == 1)
        #expect(
            beside.error.hasPrefix("vitrine: http://127.0.0.1:\(port)/readyz answers 404: "),
            "\(beside.error)")
        #expect(await running.terminate() == 0)
        let gone = try await maze.run(["health", "--admin-address", place])
        #expect(gone.status == 1)
        #expect(
            gone.error.hasPrefix(
                "vitrine: http://\(place)/healthz does not answer: No connection to 127.0.0.1: "),
            "\(gone.error)")
        let unknown = try await maze.run(["health", "--port", "0"])
        #expect(
            unknown.error
                == "vitrine: server.port leaves the port open. Give the one that the service took "
                + "with --port.\n")
    }

    @Test(arguments: [["localhost"], ["pictures.example.org"]])
    func `a health check over TLS knows the service by its certificate`(_ names: [String])
        async throws
    {
        let maze = try await PlayedTVMaze(shows: 1)
        let environment = try encrypt(maze, names).merging(["VITRINE_SERVER_HOSTS": names[0]]) {
            $1
        }
        let (running, address) = try await maze.serve(environment: environment)
        let port = try #require(address.split(separator: ":").last.map(String.init))
        let health = try await maze.run(["health", "--port", port], environment: environment)
        #expect(health.output == "ok\n" && health.status == 0, "\(health.error)")
        #expect(await running.terminate() == 0)
    }

    @Test func `SIGHUP takes from a good file what can change, and nothing from a bad one`()
        async throws
    {
        let maze = try await PlayedTVMaze(shows: 1)
        let file = maze.directory.file("settings.yaml")
        let keys = maze.directory.file("keys")
        func write(_ text: String) throws {
            try writeFile(file, text + "url: {keysFile: \(keys)}\n")
        }
        try writeFile(keys, "the keys of before a reload")
        try write("levels: {s: 60x90}\n")
        let signed = try await maze.run(
            ["sign", "https://static.tvmaze.com/original/1.jpg", "--level", "s", "--config", file])
        let path = signed.output.split(separator: "\n").first.map(String.init) ?? ""
        let (running, address) = try await maze.serve(["--config", file])
        func get(_ path: String) async throws -> FetchResponse {
            try await PlayedTVMaze.get(address + path)
        }
        let first = try await get("/t/s/tvmaze/show/1.jpg")
        #expect(first.status == 200)
        #expect(try await get(path).status == 200)

        // A mistake anywhere leaves all as it is.
        try write("levels: {q: 60x90}\nimaging: {jpegQuality: 500}\n")
        running.signal(SIGHUP)
        let refused = try #require(await running.line(containing: "settings were not read again"))
        #expect(refused.contains("settings.yaml:2: imaging.jpegQuality is “500”"), "\(refused)")
        try write("levels: {q: 60x90}\nplaceholder: {file: none.jpg}\n")
        running.signal(SIGHUP)
        #expect(await running.line(containing: "settings were not read again") != nil)
        #expect(try await get("/t/s/tvmaze/show/1.jpg").body == first.body)
        #expect(try await get("/t/q/tvmaze/show/1.jpg").status == 404)

        try writeFile(keys, "the keys of after the reload")
        try write(
            "levels: {s: 60x90, q: 30x30}\nimaging: {jpegQuality: 20, threads: 3}\n"
                + "log: {level: debug}\n")
        running.signal(SIGHUP)
        let taken = try #require(await running.line(containing: "settings were read again"))
        #expect(
            taken.contains("levels, url.keys, log.level, imaging.jpegQuality"), "\(taken)")
        #expect(taken.contains("imaging.threads"), "\(taken)")
        #expect(try await get("/t/q/tvmaze/show/1.jpg").status == 200)
        let second = try await get("/t/s/tvmaze/show/1.jpg")
        #expect(second.status == 200 && second.body.count < first.body.count)
        #expect(try await get(path).status == 403)
        _ = try await get("/v1/favorites")
        #expect(await running.line(containing: "path=/v1/favorites") != nil)
        #expect(await running.terminate() == 0)
    }

    @Test func `a check of the settings finds every mistake and ends with status 78`() async throws
    {
        let maze = try await PlayedTVMaze(shows: 1)
        let file = maze.directory.file("settings.yaml")
        try writeFile(file, "server:\n  port: many\n  prot: 80\nlog: {level: loud}\n")
        let wrong = try await maze.run(["config", "--check", "--config", file])
        #expect(wrong.status == 78 && wrong.output.isEmpty)
        let lines = wrong.error.split(separator: "\n").map(String.init)
        #expect(
            lines.map { String($0.dropFirst("vitrine: \(file)".count).prefix(3)) } == [
                ":3:", ":2:", ":4:",
            ], "\(wrong.error)")
        try writeFile(file, "server:\n  port: 80\n")
        let good = try await maze.run(["config", "--check", "--config", file])
        #expect(good.status == 0 && good.output.isEmpty && good.error.isEmpty, "\(good.error)")
    }

    @Test(arguments: [
        ("server: {tlsCertificate: gone.pem, tlsKey: gone.pem}", [:]),
        ("placeholder: {file: gone.png}", [:]), ("fetch: {caFile: gone.pem}", [:]),
        (
            "",
            [
                "OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318",
                "OTEL_EXPORTER_OTLP_CERTIFICATE": "gone.pem",
            ]
        ),
    ])
    func `a check of the settings ends like the start if a file can't be used`(
        settings: String, environment: [String: String]
    ) async throws {
        try await withScratchDirectory { directory in
            try writeFile("\(directory)/config/vitrine.yaml", settings)
            let check = try await Executable.run(
                ["config", "--check"], in: directory, environment: environment)
            let start = try await Executable.run(
                ["serve", "--port", "0"], in: directory, environment: environment)
            #expect(check.status == 78 && start.status == 78)
            #expect(check.error == start.error)
        }
    }

    @Test func `SIGTERM lets a running request finish`() async throws {
        let maze = try await PlayedTVMaze(shows: 1)
        let gate = Gate()
        maze.origin.on(
            "/shows/1", host: "api.tvmaze.com",
            .json(TVMazeShow(id: 1, name: "Slow").json.text).delayed(until: gate))
        let (running, address) = try await maze.serve(
            environment: ["VITRINE_SERVER_SHUTDOWN_TIMEOUT": "1h"])
        async let slow = PlayedTVMaze.get(address + "/v1/tvmaze/show/1")
        try await maze.origin.waitForRequests(1)
        running.signal(SIGTERM)
        // No further connection is taken: that shows that it is draining.
        while (try? await PlayedTVMaze.get(address + "/healthz")) != nil {}
        gate.open()
        #expect(try await slow.status == 200)
        #expect(await running.status() == 0)
    }

    @Test func `SIGTERM waits no longer than the shutdown timeout`() async throws {
        let maze = try await PlayedTVMaze(shows: 1)
        let gate = Gate()
        maze.origin.on(
            "/shows/1", host: "api.tvmaze.com", .status(503).delayed(until: gate))
        let (running, address) = try await maze.serve(
            environment: ["VITRINE_SERVER_SHUTDOWN_TIMEOUT": "100ms"])
        let slow = Task { try await PlayedTVMaze.get(address + "/v1/tvmaze/show/1") }
        try await maze.origin.waitForRequests(1)
        #expect(await running.terminate() == 0)
        await #expect(throws: FetchError.self) { try await slow.value }
        gate.open()
    }
}
