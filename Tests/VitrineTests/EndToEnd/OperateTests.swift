import Fetch
import Foundation
import PlayedAPIs
import TestSupport
import Testing

/// The running program as operators see it: certificates, signals, the admin token.
@Suite(.timeLimit(.minutes(1))) struct OperateTests {
    private func request(_ url: String) -> FetchRequest {
        FetchRequest(url: url, purpose: .original, maxBytes: 1 << 24)
    }

    @Test func `a server with a certificate speaks HTTP/2 and reloads the certificate on SIGHUP`()
        async throws
    {
        let maze = try await PlayedTVMaze(shows: 1)
        let issued = try maze.authority.issue(names: ["localhost"])
        let (certificate, key) = (
            maze.directory.file("server.pem"), maze.directory.file("server.key")
        )
        try writeFile(certificate, issued.certificate)
        try writeFile(key, issued.key)
        let (running, address) = try await maze.serve(
            environment: [
                "VITRINE_SERVER_TLS_CERTIFICATE": certificate, "VITRINE_SERVER_TLS_KEY": key,
            ])
        #expect(address.hasPrefix("https://127.0.0.1:"))
        let client = try PlayedTVMaze.client(maze.authority.file)
        for expected in ["vitrine; fwd=miss; stored", "vitrine; hit"] {
            let answer = try await client.fetch(request(address + "/t/s/tvmaze/show/1.jpg"))
            #expect(answer.status == 200)
            #expect(answer.timings.httpVersion == "2")
            #expect(answer.header("cache-status") == expected)
        }
        await client.shutdown()

        // A key that doesn't belong to the certificate changes nothing; one that does counts.
        let other = try CertificateAuthority()
        let fresh = try other.issue(names: ["localhost"])
        try writeFile(certificate, fresh.certificate)
        running.signal(SIGHUP)
        #expect(await running.line(containing: "settings were not read again") != nil)
        let same = try PlayedTVMaze.client(maze.authority.file)
        #expect(try await same.fetch(request(address + "/healthz")).status == 200)
        await same.shutdown()
        try writeFile(key, fresh.key)
        running.signal(SIGHUP)
        #expect(await running.line(containing: "settings were read again") != nil)
        let changed = try PlayedTVMaze.client(other.file)
        #expect(try await changed.fetch(request(address + "/healthz")).status == 200)
        await changed.shutdown()
        running.signal(SIGTERM)
        #expect(await running.status() == 0)
    }

    @Test func `SIGHUP applies the log level and names settings that need a restart`() async throws
    {
        let maze = try await PlayedTVMaze(shows: 1)
        let file = maze.directory.file("settings.yaml")
        try writeFile(file, "log:\n  level: notice\nserver:\n  shutdownTimeout: 9s\n")
        let (running, address) = try await maze.serve(["--config", file])
        try writeFile(file, "log:\n  level: debug\nserver:\n  shutdownTimeout: 8s\n")
        running.signal(SIGHUP)
        let line = try #require(await running.line(containing: "settings were read again"))
        #expect(line.contains("changed=log.level"))
        #expect(line.contains("server.shutdownTimeout"))
        let client = try PlayedTVMaze.client()
        _ = try await client.fetch(request(address + "/v1/favorites"))
        #expect(await running.line(containing: "path=/v1/favorites") != nil)
        await client.shutdown()
        try writeFile(file, "log:\n  level: shouting\n")
        running.signal(SIGHUP)
        #expect(await running.line(containing: "settings were not read again") != nil)
        running.signal(SIGTERM)
        #expect(await running.status() == 0)
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
        for (arguments, answer) in [([], "ok\n"), (["--ready"], "ready\n")] {
            let health = try await maze.run(["health", "--admin-address", place] + arguments)
            #expect(health.output == answer && health.status == 0, "\(health.error)")
        }
        let port = try #require(address.split(separator: ":").last.map(String.init))
        let beside = try await maze.run(["health", "--port", port, "--ready"])
        #expect(beside.status == 1)
        #expect(
            beside.error.hasPrefix("vitrine: http://127.0.0.1:\(port)/readyz answers 404: "),
            "\(beside.error)")
        running.signal(SIGTERM)
        #expect(await running.status() == 0)
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
        let issued = try maze.authority.issue(names: names)
        let (certificate, key) = (
            maze.directory.file("server.pem"), maze.directory.file("server.key")
        )
        try writeFile(certificate, issued.certificate)
        try writeFile(key, issued.key)
        let environment = [
            "VITRINE_SERVER_TLS_CERTIFICATE": certificate, "VITRINE_SERVER_TLS_KEY": key,
            "VITRINE_SERVER_HOSTS": names[0],
        ]
        let (running, address) = try await maze.serve(environment: environment)
        let port = try #require(address.split(separator: ":").last.map(String.init))
        let health = try await maze.run(["health", "--port", port], environment: environment)
        #expect(health.output == "ok\n" && health.status == 0, "\(health.error)")
        running.signal(SIGTERM)
        #expect(await running.status() == 0)
    }

    @Test func `SIGTERM lets a running request finish`() async throws {
        let maze = try await PlayedTVMaze(shows: 1)
        let gate = Gate()
        maze.origin.on(
            "/shows/1", host: "api.tvmaze.com",
            .json(TVMazeShow(id: 1, name: "Slow").json.text).delayed(until: gate))
        let (running, address) = try await maze.serve(
            environment: ["VITRINE_SERVER_SHUTDOWN_TIMEOUT": "1h"])
        let client = try PlayedTVMaze.client()
        async let slow = client.fetch(request(address + "/v1/tvmaze/show/1"))
        try await maze.origin.waitForRequests(1)
        running.signal(SIGTERM)
        // No further connection is taken: that shows that it is draining.
        while true {
            let other = try PlayedTVMaze.client()
            let isRefused: Bool
            do {
                _ = try await other.fetch(request(address + "/healthz"))
                isRefused = false
            } catch {
                isRefused = true
            }
            await other.shutdown()
            if isRefused { break }
        }
        gate.open()
        #expect(try await slow.status == 200)
        await client.shutdown()
        #expect(await running.status() == 0)
    }

    @Test func `SIGTERM waits no longer than the shutdown timeout`() async throws {
        let maze = try await PlayedTVMaze(shows: 1)
        let gate = Gate()
        maze.origin.on(
            "/shows/1", host: "api.tvmaze.com", .status(503).delayed(until: gate))
        let (running, address) = try await maze.serve(
            environment: ["VITRINE_SERVER_SHUTDOWN_TIMEOUT": "100ms"])
        let client = try PlayedTVMaze.client()
        let asked = request(address + "/v1/tvmaze/show/1")
        let slow = Task { try await client.fetch(asked) }
        try await maze.origin.waitForRequests(1)
        running.signal(SIGTERM)
        #expect(await running.status() == 0)
        await #expect(throws: FetchError.self) { try await slow.value }
        await client.shutdown()
        gate.open()
    }
}
