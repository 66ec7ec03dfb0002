import FoundationEssentials
import Synchronization

/// Access tokens for clients with the right id and secret, for a while.
final class SpotifyTokens: Sendable {
    private let credentials: DemoCredentials
    private let lifetime: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let issued = Mutex<[String: ContinuousClock.Instant]>([:])

    init(
        _ credentials: DemoCredentials, lifetime: Duration,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.credentials = credentials
        self.lifetime = lifetime
        self.now = now
    }

    /// Returns a new token and its seconds to live; `nil` if the credentials are wrong.
    func token(authorization: String?) -> (text: String, seconds: Int)? {
        let pair = "\(credentials.spotifyClientID):\(credentials.spotifyClientSecret)"
        guard authorization == "Basic \(Data(pair.utf8).base64EncodedString())" else { return nil }
        let text = issued.withLock { issued in
            // Expired ones go, so that no number of requests piles them up.
            issued = issued.filter { $0.value > now() }
            var text = ""
            repeat {
                var random = SystemRandomNumberGenerator()
                text = "BQ" + (0..<8).map { _ in String(random.next(), radix: 36) }.joined()
            } while issued[text] != nil
            issued[text] = now() + lifetime
            return text
        }
        return (text, Int(lifetime.components.seconds))
    }

    enum Verdict: Sendable, Equatable { case good, missing, expired }

    func verdict(authorization: String?) -> Verdict {
        guard let authorization else { return .missing }
        guard authorization.hasPrefix("Bearer ") else { return .missing }
        let token = String(authorization.dropFirst(7))
        let end = issued.withLock { $0[token] }
        return end.map { $0 > now() } == true ? .good : .expired
    }
}
