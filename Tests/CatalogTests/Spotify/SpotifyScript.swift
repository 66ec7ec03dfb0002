import Catalog
import Foundation
import JSON
import PlayedAPIs
import Synchronization
import TestSupport

/// Plays Spotify: gives numbered tokens, and answers calls with a valid one from a table. All made
/// up but the form.
final class SpotifyScript: APIReading {
    private struct State {
        var calls: [APICall] = []
        var issued = 0
        var revoked: Set<String> = []
        var tokenAnswer: Result<APIAnswer, Failure>?
    }

    private let answers: [String: APIAnswer]
    private let state = Mutex(State())
    /// Where set, token calls wait until it opens.
    let gate: Gate?

    init(_ answers: [String: APIAnswer] = [:], gate: Gate? = nil) {
        self.answers = answers
        self.gate = gate
    }

    convenience init(json: [String: String]) {
        self.init(
            Dictionary(
                uniqueKeysWithValues: json.map { path, text in
                    (
                        "https://api.spotify.com/v1\(path)",
                        APIAnswer(status: 200, body: Array(text.utf8))
                    )
                }))
    }

    static let tokenURL = "https://accounts.spotify.com/api/token"

    var tokenCalls: [APICall] {
        state.withLock { $0.calls.filter { $0.url == Self.tokenURL } }
    }

    var calls: [APICall] { state.withLock { $0.calls.filter { $0.url != Self.tokenURL } } }

    /// What token calls get from now on instead of a token; `nil` for tokens again.
    func answerTokenCalls(_ answer: Result<APIAnswer, Failure>?) {
        state.withLock { $0.tokenAnswer = answer }
    }

    /// The API takes this token no longer.
    func revoke(_ token: String) {
        state.withLock { _ = $0.revoked.insert("Bearer \(token)") }
    }

    func read(_ call: APICall) async throws(Failure) -> APIAnswer {
        state.withLock { $0.calls.append(call) }
        stateChanged()
        if call.url == Self.tokenURL {
            await gate?.wait()
            return try state.withLock { state in
                if let answer = state.tokenAnswer { return answer }
                state.issued += 1
                return .success(Self.token("token\(state.issued)"))
            }.get()
        }
        let token = call.headers.first { $0.name == "Authorization" }?.value
        let isValid = state.withLock { state in
            token.map { $0.hasPrefix("Bearer token") && !state.revoked.contains($0) } ?? false
        }
        guard isValid else {
            return APIAnswer(
                status: 401,
                body: SpotifyDocument.problem(401, "The access token expired").bytes)
        }
        return answers[call.url] ?? APIAnswer(status: 404, body: [])
    }

    static func token(_ text: String, life: JSON = 3_600) -> APIAnswer {
        APIAnswer(status: 200, body: SpotifyDocument.token(text, seconds: life).bytes)
    }
}

extension Spotify {
    /// With made-up credentials.
    static func scripted(cap: Int = 100, clock: ManualClock = ManualClock()) -> Spotify {
        Spotify(
            credentials: SpotifyCredentials(clientID: "someid", clientSecret: "hush-hush"),
            cap: cap, now: { clock.now })
    }
}
