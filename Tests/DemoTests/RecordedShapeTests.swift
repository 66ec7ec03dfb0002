import Foundation
import TestSupport
import Testing

@testable import Demo

/// Which fields the demo's answers have, however deep, beside those of the real APIs.
@Suite(.timeLimit(.minutes(1))) struct RecordedShapeTests {
    private static let museum = "https://data.rijksmuseum.nl"
    private static let spotify = "https://api.spotify.com/v1"
    private static let tmdb = "https://api.themoviedb.org/3"
    private static let object = PlayedDemo.origin.objects.objects[30]
    private static let album = PlayedDemo.origin.music.albums[0].iTunesID
    private static let artist = PlayedDemo.origin.music.artists[3].spotifyID
    private static let film = PlayedDemo.origin.films.films.first { $0.images(.poster).count == 4 }

    static let documents = [
        ("tvmaze/shows-page-0", "https://api.tvmaze.com/shows?page=0"),
        ("tvmaze/search-shows-image-null", "https://api.tvmaze.com/search/shows?q=the"),
        ("tvmaze/show-183-images", "https://api.tvmaze.com/shows/1/images"),
        (
            "itunes/search-album-daft-punk-random-access-memories",
            "https://itunes.apple.com/search?term=night"
        ),
        (
            "itunes/lookup-album-songs-1441164816",
            "https://itunes.apple.com/lookup?id=\(album)&entity=song"
        ),
        ("rijksmuseum/object-200108369", "\(museum)/\(object.number)"),
        ("rijksmuseum/visualitem-202108369", "\(museum)/\(object.visualItem)"),
        (
            "rijksmuseum/digitalobject-500118708085845066105",
            "\(museum)/\(object.digitalObjects[0])"
        ),
        ("rijksmuseum/search-collection", "\(museum)/search/collection"),
        ("rijksmuseum/iiif-info-PJEZO", "https://iiif.micr.io/\(object.image)/info.json"),
        ("spotify/artist-7Ln80lUS6He07XvHI8qqHH", "\(spotify)/artists/\(artist)"),
        (
            "spotify/artist-albums-7Ln80lUS6He07XvHI8qqHH-offset-0",
            "\(spotify)/artists/\(artist)/albums"
        ),
        (
            "spotify/search-artist-arctic-offset-10-limit-10",
            "\(spotify)/search?q=the&type=artist&limit=10"
        ),
        ("tmdb/movie-popular-page-1", "\(tmdb)/movie/popular"),
        ("tmdb/movie-top-rated-page-1", "\(tmdb)/movie/top_rated"),
        ("tmdb/configuration", "\(tmdb)/configuration"),
        ("tmdb/genre-movie-list", "\(tmdb)/genre/movie/list"),
        ("tmdb/movie-575264-images", "\(tmdb)/movie/\(film?.id ?? 0)/images"),
    ]
    /// Fields that recordings lack, because they were trimmed or are old.
    private static let trimmed = [
        "classified_as", "made_of", "produced_by.technique", "referred_to_by", "shown_by",
        "items[].artists", "items[].release_date", "items[].total_tracks",
    ]

    @Test(arguments: documents)
    func `every field that is played was recorded`(recording: String, url: String) async throws {
        let demo = try PlayedDemo()
        let isSpotify = url.hasPrefix(Self.spotify)
        let token = isSpotify ? try await demo.spotifyToken() : "demo-token"
        let answer = await demo.answer(url) { $0.authorization = "Bearer \(token)" }
        #expect(answer.status == 200)
        let recorded = try Self.fields(Array(Fixtures.recording(recording).utf8))
        let unknown = try Self.fields(answer.body).subtracting(recorded).filter { field in
            !Self.trimmed.contains { field.hasPrefix($0) }
        }
        #expect(unknown.sorted() == [])
    }

    /// Paths such as `results[].artworkUrl100`.
    private static func fields(_ document: [UInt8]) throws -> Set<String> {
        fields(try JSONSerialization.jsonObject(with: Data(document)), "")
    }

    private static func fields(_ value: Any, _ path: String) -> Set<String> {
        switch value {
        case let fields as [String: Any]:
            fields.reduce(into: []) { paths, field in
                let name = path.isEmpty ? field.key : "\(path).\(field.key)"
                paths.insert(name)
                paths.formUnion(Self.fields(field.value, name))
            }
        case let elements as [Any]:
            elements.reduce(into: []) { $0.formUnion(Self.fields($1, path + "[]")) }
        default: []
        }
    }
}
