import Testing

@testable import Catalog

/// Answers of the sources' APIs that make no sense, and refusals: never an empty page, never an absence.
@Suite(.timeLimit(.minutes(1))) struct OddAnswersTests {
    /// Answers every call alike, except for those for Spotify's tokens.
    private struct SameAnswer: APIReading {
        var answer: APIAnswer

        func read(_ call: APICall) async throws(Failure) -> APIAnswer {
            call.url == SpotifyScript.tokenURL ? SpotifyScript.token("token1") : answer
        }
    }

    struct Question: CustomTestStringConvertible, Sendable {
        var source: any Source
        /// A list with its parameters, or a kind with an id.
        var list: (name: String, parameters: [String: String])?
        var item: (kind: String, id: String)?
        var host: String
        /// JSON of another shape than the API's.
        var odd: String
        /// How the sentence begins, and who answered.
        var begin = ""
        var speaker: String?
        var testDescription: String { "\(source.name) \(list?.name ?? item?.kind ?? "")" }

        func ask(_ api: any APIReading) async throws {
            if let list {
                _ = try await source.page(
                    source.query(list: list.name, parameters: list.parameters), api: api)
            } else if let item {
                _ = try await source.details(
                    of: source.item(kind: item.kind, id: item.id), api: api)
            }
        }
    }

    static let questions = [
        Question(
            source: TVMaze(), list: ("shows", [:]), host: "api.tvmaze.com", odd: #"{"name":"x"}"#),
        Question(
            source: TVMaze(), list: ("search", ["q": "dome"]), host: "api.tvmaze.com", odd: "{}"),
        Question(source: TVMaze(), item: ("show", "7"), host: "api.tvmaze.com", odd: "[]"),
        Question(
            source: ITunes(), list: ("albums", ["term": "abc"]), host: "itunes.apple.com",
            odd: "{}"),
        Question(source: ITunes(), item: ("album", "7"), host: "itunes.apple.com", odd: "{}"),
        Question(
            source: Spotify.scripted(), list: ("artists", ["q": "arctic"]),
            host: "api.spotify.com", odd: #"{"artists":null}"#),
        Question(
            source: Spotify.scripted(), list: ("artists/abc/albums", [:]), host: "api.spotify.com",
            odd: "{}"),
        Question(
            source: Spotify.scripted(), item: ("album", "abc"), host: "api.spotify.com",
            odd: #"{"id":"a/b"}"#),
        Question(
            source: TMDB.scripted, list: ("movies/popular", [:]), host: "api.themoviedb.org",
            odd: "{}"),
        Question(
            source: TMDB.scripted, item: ("movie", "7"), host: "api.themoviedb.org",
            odd: #"{"id":-7}"#, begin: "TMDB's movie 7 can't be read: "),
        Question(
            source: Rijksmuseum(), list: ("objects", [:]), host: "data.rijksmuseum.nl",
            odd: #"{"id":"x"}"#),
        Question(
            source: Rijksmuseum(), item: ("object", "1"), host: "id.rijksmuseum.nl", odd: "{}",
            begin: "Rijksmuseum's object 1 can't be read: ", speaker: "id.rijksmuseum.nl"),
    ]

    @Test(arguments: questions)
    func `an answer that makes no sense is unavailable, and says why`(question: Question) async {
        let speaker = question.speaker ?? question.source.title
        for (status, body, sentence) in [
            (200, "<html>", "\(speaker) answered something that is not JSON."),
            (200, "", "\(speaker) answered something that is not JSON."),
            (200, "null", "\(speaker) answered JSON of an unknown shape."),
            (200, question.odd, "\(speaker) answered JSON of an unknown shape."),
            (301, "{}", "\(question.host) answered 301."),
        ] {
            let api = SameAnswer(answer: APIAnswer(status: status, body: Array(body.utf8)))
            await #expect(
                throws: Failure.unavailable(
                    reason: question.begin + sentence, timedOut: false, retryAfter: nil),
                "\(status) \(body)"
            ) {
                try await question.ask(api)
            }
        }
    }
}
