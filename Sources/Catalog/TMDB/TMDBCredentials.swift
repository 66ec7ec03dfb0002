/// An API read access token of TMDB, or an API key; no text made of it shows it.
package struct TMDBCredentials: Sendable {
    private let secret: HiddenText

    /// `nil` where it is missing, or can't be a credential.
    package init?(_ text: String?) {
        guard let secret = HiddenText(text) else { return nil }
        self.secret = secret
    }

    /// The two are told apart by their form: keys are 32 hexadecimal digits, tokens far longer.
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
