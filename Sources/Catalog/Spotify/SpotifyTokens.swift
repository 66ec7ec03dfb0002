import Fetch
import FoundationEssentials
import JSON

/// The access token of the client-credentials flow. Concurrent callers share one request for it,
/// and it is replaced shortly before it expires.
///
/// Source: <https://developer.spotify.com/documentation/web-api/tutorials/client-credentials-flow>.
actor SpotifyTokens {
    struct Token: Sendable, Equatable {
        fileprivate let text: Secret
        /// Distinguishes tokens, because a server may return the same text twice.
        fileprivate let number: Int
        fileprivate let until: Date

        /// Value of `Authorization` for the API's calls.
        var bearer: String { "Bearer \(text.reveal())" }
    }

    static let host = HostPattern("accounts.spotify.com")

    private let credentials: SpotifyCredentials
    private let now: @Sendable () -> Date
    private var current: Token?
    private var lastNumber = 0
    private var refusal: (error: Failure, until: Date)?
    private var asking: Task<Result<Token, Failure>, Never>?

    init(_ credentials: SpotifyCredentials, now: @escaping @Sendable () -> Date) {
        self.credentials = credentials
        self.now = now
    }

    /// Returns a token that is valid for a while.
    ///
    /// - Parameter refused: a token that the API rejected, which is not returned again.
    func token(
        replacing refused: Token? = nil, _ api: any APIReading
    ) async throws(Failure) -> Token {
        if let current, current.number != refused?.number, now() < current.until { return current }
        if let refusal, now() < refusal.until { throw refusal.error }
        return try await (asking ?? ask(api)).value.get()
    }

    /// Seconds before its expiry at which a token counts as expired, so that it can't expire during
    /// a call.
    static let margin: TimeInterval = 60
    /// Seconds for which rejected credentials aren't tried again.
    static let refusalLifetime: TimeInterval = 60

    /// Unstructured, because a canceled caller must not cancel the request for the others.
    private func ask(_ api: any APIReading) -> Task<Result<Token, Failure>, Never> {
        let task = Task { () -> Result<Token, Failure> in
            defer { asking = nil }
            do throws(Failure) {
                let token = try await fetch(api)
                current = token
                return .success(token)
            } catch {
                if error.kind == .unconfigured {
                    refusal = (error, now().addingTimeInterval(Self.refusalLifetime))
                }
                return .failure(error)
            }
        }
        asking = task
        return task
    }

    /// Returns whether the token service rejects the credentials. Other 400s have other causes.
    private static func rejectsCredentials(_ answer: APIAnswer) -> Bool {
        switch answer.status {
        case 401: true
        // The API's `error` is an object; the token service's is a text.
        case 400:
            ["invalid_client", "unauthorized_client"].contains(answer.shortDocument["error"].string)
        default: false
        }
    }

    private func fetch(_ api: any APIReading) async throws(Failure) -> Token {
        let start = now()
        var call = APICall(
            url: "https://\(Self.host)/api/token", allowedHosts: [Self.host])
        call.headers = [
            ("Authorization", credentials.basic),
            ("Content-Type", "application/x-www-form-urlencoded"),
        ]
        call.body = Array("grant_type=client_credentials".utf8)
        let answer = try await api.read(call)
        guard !Self.rejectsCredentials(answer) else {
            throw .unconfigured(
                reason: """
                    Spotify rejected the credentials. Check VITRINE_SPOTIFY_CLIENT_ID and \
                    VITRINE_SPOTIFY_CLIENT_SECRET.
                    """)
        }
        let (given, seconds) = try await answer.decoded(
            "Spotify's token service", by: Self.host
        ) { json in
            json["access_token"].string.map { ($0, json["expires_in"].integer(in: 1...Int.max)) }
        }
        guard let text = Secret(credential: given) else {
            throw .unavailable(reason: "Spotify's token service sent no usable token.")
        }
        lastNumber += 1
        // An hour if the response omits it, as Spotify documents.
        let life = TimeInterval(seconds.map(Bounds.tokenLife.clamp) ?? 3_600)
        return Token(
            text: text, number: lastNumber,
            until: start.addingTimeInterval(life - min(Self.margin, life / 2)))
    }
}

/// ID and secret of a Spotify application. Text made of this value never shows them.
package struct SpotifyCredentials: Sendable {
    private let clientID: Secret
    private let clientSecret: Secret

    /// Returns `nil` if one is missing or can't be a credential.
    package init?(clientID: String?, clientSecret: String?) {
        guard let clientID = Secret(credential: clientID),
            let clientSecret = Secret(credential: clientSecret)
        else { return nil }
        self.clientID = clientID
        self.clientSecret = clientSecret
    }

    /// Value of `Authorization` for the token request (RFC 7617).
    var basic: String {
        let pair = "\(clientID.reveal()):\(clientSecret.reveal())"
        return "Basic \(Data(pair.utf8).base64EncodedString())"
    }
}
