/// The meaning of Spotify's error responses.
enum SpotifyRefusal {
    /// Returns whether the API says that the item doesn't exist. A 400 says so only if it is about
    /// the id. A wrong limit or market also causes a 400.
    static func isAbsent(_ answer: APIAnswer) -> Bool {
        switch answer.status {
        case 404, 410: true
        case 400: Body.of(answer)?.message.map(isAboutID) ?? false
        default: false
        }
    }

    /// Returns whether the token service rejects the credentials. Other 400s have other causes.
    static func ofCredentials(_ answer: APIAnswer) -> Bool {
        switch answer.status {
        case 401: true
        case 400: ["invalid_client", "unauthorized_client"].contains(Body.of(answer)?.code)
        default: false
        }
    }

    /// Returns whether a message is like `invalid id` or `Invalid base62 id`.
    private static func isAboutID(_ message: String) -> Bool {
        let words = message.lowercased().split { !$0.isLetter && !$0.isNumber }
        return words.contains("invalid") && words.last == "id"
    }

    /// The API's `error` is an object; the token service's is a text.
    private struct Body: Decodable {
        var message: String?
        var code: String?

        private enum Key: String, CodingKey { case error, message }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Key.self)
            code = fields.lenient(String.self, .error)
            // Decoding fails for the token service's text, which has no message.
            let error = try? fields.nestedContainer(keyedBy: Key.self, forKey: .error)
            message = error?.lenient(String.self, .message)
        }

        static func of(_ answer: APIAnswer) -> Body? {
            // A body of another shape says nothing about the id.
            try? answer.decoded(Body.self, from: "Spotify")
        }
    }
}
