import Hashing
import Imaging
import Store
import Testing

@testable import Serve

@Suite(.timeLimit(.minutes(1))) struct RouteTests {
    private static let hex = String(repeating: "ab", count: 32)

    @Test(
        arguments: [
            (
                "/t/m/tvmaze/show/1",
                .thumbnail(level: "m", source: "tvmaze", kind: "show", id: "1", nil)
            ),
            (
                "/t/m/tvmaze/show/1.jpg",
                .thumbnail(level: "m", source: "tvmaze", kind: "show", id: "1", .jpeg)
            ),
            (
                "/t/m/tvmaze/show/1.JPEG",
                .thumbnail(level: "m", source: "tvmaze", kind: "show", id: "1", .jpeg)
            ),
            (
                "/t/xl/a%20b/show/x.y.webp",
                .thumbnail(level: "xl", source: "a b", kind: "show", id: "x.y", .webp)
            ),
            (
                "/t/m/tvmaze/show/1.avif",
                .thumbnail(level: "m", source: "tvmaze", kind: "show", id: "1", .avif)
            ),
            (
                "/t/m/tvmaze/show/1.png",
                .thumbnail(level: "m", source: "tvmaze", kind: "show", id: "1", .png)
            ),
            ("/o/tvmaze/show/1", .original(source: "tvmaze", kind: "show", id: "1")),
            ("/v1/tvmaze/shows", .catalog(source: "tvmaze", rest: ["shows"])),
            (
                "/v1/spotify/artists/x/albums",
                .catalog(source: "spotify", rest: ["artists", "x", "albums"])
            ),
            (
                "/sheet/s/tvmaze/shows",
                .sheet(level: "s", source: "tvmaze", list: "shows", .picture(nil))
            ),
            (
                "/sheet/s/tmdb/movies/popular.JPG",
                .sheet(level: "s", source: "tmdb", list: "movies/popular", .picture(.jpeg))
            ),
            (
                "/sheet/s/spotify/artists/x.y/albums.json",
                .sheet(level: "s", source: "spotify", list: "artists/x.y/albums", .rectangles)
            ),
            ("/healthz", .health), ("/readyz", .readiness), ("/openapi.json", .description),
            ("/", .gallery),
        ] as [(String, Route)])
    func `paths are parsed`(path: String, expected: Route) throws {
        #expect(try Route(path: path[...]) == expected)
    }

    @Test(arguments: ["", ".webp", ".jpg"])
    func `a blob is named by its digest, with or without an extension`(ending: String) throws {
        let digest = try #require(Digest(hex: Self.hex))
        #expect(try Route(path: "/b/sha256-\(Self.hex)\(ending)") == .blob(digest))
    }

    @Test(
        arguments: [
            (
                "/t/m/pics/file/a%20b/c.jpg.webp",
                .thumbnail(
                    level: "m", source: "pics", kind: "file", id: "a b/c.jpg.webp", nil)
            ),
            (
                "/t/m/pics/file/c",
                .thumbnail(level: "m", source: "pics", kind: "file", id: "c", nil)
            ),
            ("/o/pics/file/a/b/c.jpg", .original(source: "pics", kind: "file", id: "a/b/c.jpg")),
            ("/v1/pics/file/a/b.jpg", .catalog(source: "pics", rest: ["file", "a/b.jpg"])),
            (
                "/v1/favorites/pics/file/a/b.jpg",
                .favorite(source: "pics", kind: "file", id: "a/b.jpg")
            ),
            (
                "/v1/explain/pics/file/a/b.jpg",
                .explanation(source: "pics", kind: "file", id: "a/b.jpg")
            ),
            ("/v1/pics/files", .catalog(source: "pics", rest: ["files"])),
        ] as [(String, Route)])
    func `the path of a file may have slashes, and keeps its extension`(
        path: String, expected: Route
    ) throws {
        #expect(try Route(path: path[...]) == expected)
    }

    @Test(
        arguments: [
            ("//", .unknown), ("/t", .unknown), ("/t/m/tvmaze/show", .unknown),
            ("/t/m/tvmaze/show/1/2", .unknown), ("/x", .unknown), ("/healthz/", .unknown),
            ("/sheet/s/tvmaze", .unknown), ("/sheet/s/tvmaze/shows.gif", .unknownFormat("gif")),
            ("/t/m/tvmaze/show/1.tiff", .unknownFormat("tiff")), ("/b/sha256-xyz", .badDigest),
            ("/b/md5-00", .badDigest),
        ] as [(String, Route.Failure)])
    func `an invalid path says why`(path: String, expected: Route.Failure) {
        #expect(throws: expected) { try Route(path: path[...]) }
    }

    @Test(arguments: [
        "/t/m/tvmaze/show/..", "/t/m/tvmaze/%2e%2e/1", "/t/m/tvmaze/show/a%2Fb",
        "/t/m/tvmaze/show/%00", "/t/m/tvmaze/show/%zz", "/t/m/tvmaze/show/%4", "/t/./tvmaze/show/1",
        "/t/m/tvmaze/show/%ff%fe", "/t/m/tvmaze/show/1%0d%0a",
    ])
    func `hidden slashes, dots and broken encodings are refused before routing`(path: String) {
        #expect {
            try Route(path: path[...])
        } throws: { error in
            guard case Route.Failure.malformed = error else { return false }
            return true
        }
    }

    @Test func `written paths are encoded and parse back`() throws {
        let path = Route.thumbnailPath(level: "m", item: "url/a+b/ü")
        #expect(path == "/t/m/url/a%2Bb/%C3%BC")
        #expect(
            try Route(path: path[...])
                == .thumbnail(level: "m", source: "url", kind: "a+b", id: "ü", nil))
    }

    @Test(arguments: ["q=a%00", "q%0d=a", "q=%7f", "q=%f", "q=%ff"])
    func `a query that is broken or hides control characters is refused`(query: String) {
        #expect(throws: Route.Failure.self) {
            try Route.decodeQuery(query[...])
        }
    }

    @Test func `a query's pairs are decoded`() throws {
        let pairs = try Route.decodeQuery("q=daft+punk&x&y=%C3%BC%2B=1")
        #expect(pairs.map(\.0) == ["q", "x", "y"])
        #expect(pairs.map(\.1) == ["daft punk", "", "ü+=1"])
    }
}
