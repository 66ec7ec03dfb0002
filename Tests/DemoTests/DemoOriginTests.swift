import Demo
import PlayedAPIs
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct DemoOriginTests {
    /// Starts a small origin, and stops it afterwards.
    private func withOrigin(
        _ body: (DemoOrigin, RunningDemo) async throws -> Void
    ) async throws {
        var configuration = DemoOriginConfiguration()
        configuration.shows = 20
        let origin = DemoOrigin(configuration)
        let running = try await origin.start()
        do {
            try await body(origin, running)
        } catch {
            await origin.stop()
            throw error
        }
        await origin.stop()
    }

    /// What a client gets that speaks TLS and trusts the demo's authority only: all of it, or with
    /// HTTP/2, whose connections stay open, what comes first.
    private func exchange(
        _ running: RunningDemo, host: String, send text: String,
        protocols: [String] = ["http/1.1"]
    ) async throws -> String {
        let directory = try TemporaryDirectory()
        let authority = try directory.write(running.certificateAuthorityPEM.utf8, to: "ca.pem")
        let tls = TLSOffer(authority, protocols, host: host)
        let client = try await RawConnection.open(port: running.port, tls: tls)
        try await client.send(text)
        let isFirstEnough = protocols.contains("h2")
        let answer = await client.received { isFirstEnough && !$0.isEmpty }
        return String(decoding: answer, as: UTF8.self)
    }

    @Test func `it answers under real names over TLS`() async throws {
        try await withOrigin { origin, running in
            let show = try #require(origin.shows.show(1))
            let api = try await exchange(
                running, host: "api.tvmaze.com",
                send: "GET /shows/1 HTTP/1.1\r\nHost: api.tvmaze.com\r\nConnection: close\r\n\r\n")
            #expect(api.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(api.contains(show.name))
            #expect(
                api.contains(
                    /\r\nDate: [A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT\r\n/
                        .ignoresCase()))
            let picture = try await exchange(
                running, host: "static.tvmaze.com",
                send: """
                    HEAD /uploads/images/medium_portrait/0/10.jpg HTTP/1.1\r
                    Host: static.tvmaze.com:443\r
                    Connection: close\r
                    \r

                    """)
            #expect(picture.lowercased().contains("content-type: image/jpeg\r\n"))
            #expect(picture.hasSuffix("\r\n\r\n"))
        }
    }

    @Test func `it prefers HTTP/2`() async throws {
        try await withOrigin { _, running in
            // The first frame is SETTINGS: three bytes of length, then its type, 4.
            let greeting = try await exchange(
                running, host: "api.tvmaze.com", send: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                protocols: ["h2", "http/1.1"])
            #expect(Array(greeting.utf8.prefix(4).dropFirst(3)) == [4])
        }
    }

    @Test func `another host is misdirected, and isn't vouched for`() async throws {
        try await withOrigin { _, running in
            let answer = try await exchange(
                running, host: "api.tvmaze.com",
                send: "GET / HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 421 "))
            await #expect(throws: (any Error).self) {
                try await exchange(
                    running, host: "example.org",
                    send: "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n")
            }
        }
    }

    @Test func `a token is asked for by POST, which other hosts don't take`() async throws {
        try await withOrigin { _, running in
            func post(_ host: String, _ body: String) async throws -> String {
                try await exchange(
                    running, host: host,
                    send: """
                        POST /api/token HTTP/1.1\r
                        Host: \(host)\r
                        Authorization: Basic ZGVtby1jbGllbnQ6ZGVtby1zZWNyZXQ=\r
                        Content-Length: \(body.utf8.count)\r
                        Connection: close\r
                        \r
                        \(body)
                        """)
            }
            let form = "grant_type=client_credentials"
            let token = try await post("accounts.spotify.com", form)
            #expect(token.hasPrefix("HTTP/1.1 200 ") && token.contains("access_token"))
            #expect(try await post("api.spotify.com", form).hasPrefix("HTTP/1.1 405 "))
            let long = String(repeating: "x", count: 5_000)
            #expect(try await post("accounts.spotify.com", long).hasPrefix("HTTP/1.1 413 "))
        }
    }

    @Test func `it can be told to fail`() async throws {
        var configuration = DemoOriginConfiguration()
        configuration.shows = 1
        configuration.errorRate = 1
        let origin = DemoOrigin(configuration)
        let running = try await origin.start()
        let answer = try? await exchange(
            running, host: "api.tvmaze.com",
            send: "GET /shows/1 HTTP/1.1\r\nHost: api.tvmaze.com\r\nConnection: close\r\n\r\n")
        await origin.stop()
        #expect(answer?.hasPrefix("HTTP/1.1 503 ") == true)
    }

    @Test func `it tells how to reach it under the real names`() async throws {
        try await withOrigin { _, running in
            #expect(
                running.hosts == [
                    "api.tvmaze.com", "static.tvmaze.com", "itunes.apple.com",
                    "is1-ssl.mzstatic.com", "is2-ssl.mzstatic.com", "is3-ssl.mzstatic.com",
                    "is4-ssl.mzstatic.com", "is5-ssl.mzstatic.com", "accounts.spotify.com",
                    "api.spotify.com", "i.scdn.co", "api.themoviedb.org", "image.tmdb.org",
                    "data.rijksmuseum.nl", "id.rijksmuseum.nl", "iiif.micr.io",
                ])
            #expect(
                running.connectTo == running.hosts.map { "\($0):443:127.0.0.1:\(running.port)" })
            #expect(running.credentials == DemoCredentials())
            #expect(running.allowNetwork == "127.0.0.0/8")
            #expect(running.certificateAuthorityPEM.hasPrefix("-----BEGIN CERTIFICATE-----"))
        }
    }

    @Test func `it starts once, and stopping twice is stopping`() async throws {
        try await withOrigin { origin, _ in
            await #expect(throws: DemoOriginError.startedBefore) { try await origin.start() }
            await origin.stop()
        }
    }

    @Test func `a port that is taken is an error with a sentence`() async throws {
        try await withOrigin { _, running in
            var configuration = DemoOriginConfiguration()
            configuration.shows = 1
            configuration.port = running.port
            let second = DemoOrigin(configuration)
            let error = await #expect(throws: DemoOriginError.self) { try await second.start() }
            #expect(
                error?.description.hasPrefix(
                    "The demo origin can't listen on 127.0.0.1 port \(running.port)") == true)
            await second.stop()
        }
    }
}
