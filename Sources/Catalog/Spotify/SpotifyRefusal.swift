/// What Spotify's answers with an error say.
enum SpotifyRefusal {
    /// Whether the API says that there is no such thing. A 400 says that only where it is about the
    /// id: it is also the answer to a wrong limit or market, whatever the item.
    static func isAbsent(_ answer: APIAnswer) -> Bool {
        switch answer.status {
        case 404, 410: true
        case 400: Body.of(answer)?.message.map(isAboutID) ?? false
        default: false
        }
    }

    /// Whether the token service refuses the credentials. Any other 400 is about something else.
    static func ofCredentials(_ answer: APIAnswer) -> Bool {
        switch answer.status {
        case 401: true
        case 400: ["invalid_client", "unauthorized_client"].contains(Body.of(answer)?.code)
        default: false
        }
    }

    /// `invalid id`, `Invalid base62 id`.
    private static func isAboutID(_ message: String) -> Bool {
        let words = message.lowercased().split { !$0.isLetter && !$0.isNumber }
        return words.contains("invalid") && words.last == "id"
    }

    /// The API's errors are objects, those of the token service texts.
    private struct Body: Decodable {
        var message: String?
        var code: String?

        private enum Key: String, CodingKey { case error, message }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Key.self)
            code = fields.lenient(String.self, .error)
            // Where there is no object there is no message.
            let error = try? fields.nestedContainer(keyedBy: Key.self, forKey: .error)
            message = error?.lenient(String.self, .message)
        }

        static func of(_ answer: APIAnswer) -> Body? {
            // A body of another shape says nothing about the id.
            try? answer.decoded(Body.self, from: "Spotify")
        }
    }
}
