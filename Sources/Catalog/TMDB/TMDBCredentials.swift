/// A TMDB API read access token, or an API key. Text made of this value never shows it.
package struct TMDBCredentials: Sendable {
    private let secret: Secret

    /// Returns `nil` if it is missing or can't be a credential.
    package init?(_ text: String?) {
        guard let secret = Secret(credential: text) else { return nil }
        self.secret = secret
    }

    /// Whether the secret is a key: keys are 32 hexadecimal digits, tokens are far longer.
    private var isKey: Bool {
        let text = secret.reveal()
        return text.utf8.count == 32 && text.allSatisfy(\.isHexDigit)
    }

    func authorize(_ call: inout APICall) {
        if isKey {
            call.secretQuery = "api_key=\(secret.reveal())"
        } else {
            call.headers.append((name: "Authorization", value: "Bearer \(secret.reveal())"))
        }
    }
}
