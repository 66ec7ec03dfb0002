import Catalog
import Fetch
import Foundation
import JSON
import PlayedAPIs
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct SpotifyTokenTests {
    let clock = ManualClock()
    let artist = Item(source: "spotify", kind: "artist", id: "abc")

    private func script(gate: Gate? = nil) -> SpotifyScript {
        SpotifyScript(
            [
                "https://api.spotify.com/v1/artists/abc": APIAnswer(
                    status: 200, body: SpotifyDocument.artist(id: "abc", name: "Artist").bytes)
            ], gate: gate)
    }

    @Test func `the token is asked for with the credentials, and sent with calls`() async throws {
        let script = script()
        _ = try await Spotify.scripted(clock: clock).details(of: artist, api: script)
        let call = try #require(script.tokenCalls.first)
        #expect(call.body == Array("grant_type=client_credentials".utf8))
        // What `printf someid:hush-hush | base64` says.
        #expect(
            call.headers.map { "\($0.name): \($0.value)" } == [
                "Authorization: Basic c29tZWlkOmh1c2gtaHVzaA==",
                "Content-Type: application/x-www-form-urlencoded",
            ])
        #expect(call.allowedHosts == [HostPattern("accounts.spotify.com")])
        #expect(call.keeping == nil)
        #expect(
            script.calls.map { $0.headers.map(\.value) } == [["Bearer token1"]])
        #expect(script.calls.map(\.allowedHosts) == [[HostPattern("api.spotify.com")]])
    }

    @Test func `a thousand callers cause one token call`() async throws {
        let gate = Gate()
        let script = script(gate: gate)
        let spotify = Spotify.scripted(clock: clock)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<1_000 {
                group.addTask { _ = try await spotify.details(of: artist, api: script) }
            }
            gate.open()
            try await group.waitForAll()
        }
        #expect(script.tokenCalls.count == 1)
        #expect(script.calls.count == 1_000)
    }

    @Test(arguments: [(0, 1), (3_539, 1), (3_540, 2), (3_600, 2)])
    func `a token is renewed a minute before its end`(
        seconds: Int, tokens: Int
    ) async throws {
        let script = script()
        let spotify = Spotify.scripted(clock: clock)
        _ = try await spotify.details(of: artist, api: script)
        clock.advance(by: TimeInterval(seconds))
        _ = try await spotify.details(of: artist, api: script)
        #expect(script.tokenCalls.count == tokens)
        #expect(script.calls.last?.headers.first?.value == "Bearer token\(tokens)")
    }

    @Test(
        arguments: [
            (20, 10), (.null, 3_540), (0, 3_540), (-9, 3_540), ("x", 3_540),
            (.integer(.max), 86_340),
        ] as [(JSON, Int)])
    func `a short token lives half its life, one without an end an hour, and none over a day`(
        life: JSON, seconds: Int
    ) async throws {
        let script = script()
        let spotify = Spotify.scripted(clock: clock)
        script.answerTokenCalls(.success(SpotifyScript.token("tokenX", life: life)))
        _ = try await spotify.details(of: artist, api: script)
        clock.advance(by: TimeInterval(seconds - 1))
        _ = try await spotify.details(of: artist, api: script)
        #expect(script.tokenCalls.count == 1)
        clock.advance(by: 1)
        _ = try await spotify.details(of: artist, api: script)
        #expect(script.tokenCalls.count == 2)
    }

    @Test func `after a 401 there is a new token, one for all that were refused`() async throws {
        let script = script()
        let spotify = Spotify.scripted(clock: clock)
        _ = try await spotify.details(of: artist, api: script)
        script.revoke("token1")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask { _ = try await spotify.details(of: artist, api: script) }
            }
            try await group.waitForAll()
        }
        #expect(script.tokenCalls.count == 2)
        #expect(script.calls.last?.headers.first?.value == "Bearer token2")
    }

    @Test func `a second 401 does not ask for a third token`() async throws {
        let script = script()
        let spotify = Spotify.scripted(clock: clock)
        script.revoke("token1")
        script.revoke("token2")
        await #expect(
            throws: Failure.unavailable(
                reason: "api.spotify.com answered 401.", timedOut: false, retryAfter: nil)
        ) {
            try await spotify.details(of: artist, api: script)
        }
        #expect(script.tokenCalls.count == 2)
        #expect(script.calls.count == 2)
    }

    @Test(arguments: [
        (400, SpotifyDocument.refusal("invalid_client", "Invalid client").text), (401, ""),
    ])
    func `refused credentials say what to configure, and are left alone for a minute`(
        status: Int, body: String
    ) async throws {
        let script = script()
        let spotify = Spotify.scripted(clock: clock)
        script.answerTokenCalls(.success(APIAnswer(status: status, body: Array(body.utf8))))
        let expected = Failure.unconfigured(
            reason: "Spotify rejected the credentials. Check VITRINE_SPOTIFY_CLIENT_ID and "
                + "VITRINE_SPOTIFY_CLIENT_SECRET.")
        for _ in 0..<3 {
            await #expect(throws: expected) { try await spotify.details(of: artist, api: script) }
        }
        #expect(script.tokenCalls.count == 1)
        #expect(script.calls.isEmpty)
        clock.advance(by: 60)
        script.answerTokenCalls(nil)
        _ = try await spotify.details(of: artist, api: script)
        #expect(script.tokenCalls.count == 2)
    }

    @Test(
        arguments: [
            (
                .failure(.unavailable(reason: "slow", timedOut: true, retryAfter: 7)),
                .unavailable(reason: "slow", timedOut: true, retryAfter: 7)
            ),
            (
                .success(APIAnswer(status: 403, body: [])),
                .unavailable(
                    reason: "accounts.spotify.com answered 403.", timedOut: false, retryAfter: nil)
            ),
            (
                .success(APIAnswer(status: 200, body: Array("<html>".utf8))),
                .unavailable(
                    reason: "Spotify's token service answered something that is not JSON.",
                    timedOut: false, retryAfter: nil)
            ),
            (
                .success(SpotifyScript.token("a\r\nX: y")),
                .unavailable(
                    reason: "Spotify's token service sent no usable token.", timedOut: false,
                    retryAfter: nil)
            ),
        ] as [(Result<APIAnswer, Failure>, Failure)])
    func `a token service that fails is unavailable, and is asked again`(
        answer: Result<APIAnswer, Failure>, expected: Failure
    ) async throws {
        let script = script()
        let spotify = Spotify.scripted(clock: clock)
        script.answerTokenCalls(answer)
        await #expect(throws: expected) { try await spotify.details(of: artist, api: script) }
        script.answerTokenCalls(nil)
        _ = try await spotify.details(of: artist, api: script)
        #expect(script.tokenCalls.count == 2)
    }

    @Test func `a caller that leaves does not take the token from others`() async throws {
        let gate = Gate()
        let script = script(gate: gate)
        let spotify = Spotify.scripted(clock: clock)
        let leaving = Task { try await spotify.details(of: artist, api: script) }
        await eventually { !script.tokenCalls.isEmpty }
        leaving.cancel()
        let staying = Task { try await spotify.details(of: artist, api: script) }
        gate.open()
        _ = try await staying.value
        #expect(script.tokenCalls.count == 1)
    }

    @Test(
        arguments: [
            (nil, nil), ("id", nil), (nil, "secret"), ("", "secret"), ("id", " \n"),
            ("id", "two words"), ("ä", "secret"),
        ] as [(String?, String?)])
    func `without credentials one sentence says what to set, and nothing is asked`(
        id: String?, secret: String?
    ) async throws {
        let spotify = Spotify(
            credentials: SpotifyCredentials(clientID: id, clientSecret: secret))
        let script = script()
        let expected = Failure.unconfigured(
            reason: "Spotify needs the credentials of an application; set "
                + "VITRINE_SPOTIFY_CLIENT_ID and VITRINE_SPOTIFY_CLIENT_SECRET.")
        await #expect(throws: expected) { try await spotify.details(of: artist, api: script) }
        await #expect(throws: expected) {
            try await spotify.page(
                spotify.query(list: "artists", parameters: ["q": "arctic"]), api: script)
        }
        #expect(script.tokenCalls.isEmpty && script.calls.isEmpty)
    }

    @Test func `no text made of credentials or calls shows a secret`() async throws {
        let script = script()
        let credentials = try #require(
            SpotifyCredentials(clientID: "someid", clientSecret: "hush-hush"))
        let spotify = Spotify(credentials: credentials)
        _ = try await spotify.details(of: artist, api: script)
        let shown: [Any] = [credentials, spotify, script.tokenCalls, script.calls]
        for value in shown {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                for secret in ["someid", "hush-hush", "c29tZWlkOmh1c2gtaHVzaA", "token1"] {
                    #expect(!text.contains(secret), "\(text)")
                }
            }
        }
    }
}
