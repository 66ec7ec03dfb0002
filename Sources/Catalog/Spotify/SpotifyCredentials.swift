import FoundationEssentials

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
