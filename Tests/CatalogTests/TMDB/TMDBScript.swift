import Catalog
import JSON
import PlayedAPIs

extension ScriptedAPI {
    /// Plays TMDB: paths below `/3` with JSON texts, besides the configuration and the genres. All
    /// made up but the form.
    static func tmdb(
        _ json: [String: String], configuration: String = TMDBScript.configuration,
        genres: String = TMDBScript.genres
    ) -> ScriptedAPI {
        var answers = json
        answers["/configuration"] = configuration
        answers["/genre/movie/list?language=en-US"] = genres
        return ScriptedAPI(
            json: Dictionary(
                uniqueKeysWithValues: answers.map { ("https://api.themoviedb.org/3\($0)", $1) }))
    }

    /// One path below `/3` with its status, besides the configuration and the genres; of movie 7
    /// these pictures, or none where they are empty.
    static func tmdb(
        _ path: String, status: Int, body: String = "{}", images: String = ""
    ) -> ScriptedAPI {
        func answer(_ status: Int, _ text: String) -> APIAnswer {
            APIAnswer(status: status, body: Array(text.utf8))
        }
        return ScriptedAPI([
            "https://api.themoviedb.org/3/configuration": answer(200, TMDBScript.configuration),
            "https://api.themoviedb.org/3/genre/movie/list?language=en-US": answer(
                200, TMDBScript.genres),
            "https://api.themoviedb.org/3\(path)": answer(status, body),
            "https://api.themoviedb.org/3/movie/7/images": answer(
                images.isEmpty ? 404 : 200, images),
        ])
    }
}

enum TMDBScript {
    static let configuration = TMDBDocument.configuration().text

    /// One genre has no name.
    static let genres = #"{"genres":[{"id":18,"name":"Drama"},{"id":80,"name":"Crime"},{"id":1}]}"#

    static let token = "eyJhbGciOiJIUzI1NiJ9.eyJhdWQiOiJoYXJib3VyIn0.c2FsdHdpbmQ"

    static let key = "0123456789abcdef0123456789abcDEF"
}

extension TMDB {
    /// With made-up credentials.
    static var scripted: TMDB { TMDB(credentials: TMDBCredentials(TMDBScript.token)) }
}
