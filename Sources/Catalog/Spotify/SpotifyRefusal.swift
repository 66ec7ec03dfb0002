import JSON

/// The meaning of Spotify's error responses.
enum SpotifyRefusal {
    /// Returns whether the API says that the item doesn't exist. A 400 says so only if it is about
    /// the id. A wrong limit or market also causes a 400.
    static func isAbsent(_ answer: APIAnswer) -> Bool {
        switch answer.status {
        case 404, 410: true
        case 400: answer.document["error"]["message"].string.map(isAboutID) ?? false
        default: false
        }
    }

    /// Returns whether the token service rejects the credentials. Other 400s have other causes.
    static func ofCredentials(_ answer: APIAnswer) -> Bool {
        switch answer.status {
        case 401: true
        // The API's `error` is an object; the token service's is a text.
        case 400:
            ["invalid_client", "unauthorized_client"].contains(answer.document["error"].string)
        default: false
        }
    }

    /// Returns whether a message is like `invalid id` or `Invalid base62 id`.
    private static func isAboutID(_ message: String) -> Bool {
        let words = message.lowercased().split { !$0.isLetter && !$0.isNumber }
        return words.contains("invalid") && words.last == "id"
    }
}
