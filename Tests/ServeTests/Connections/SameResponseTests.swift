import Foundation
import HTTP
import Imaging
import JSON
import Pipeline
import PipelineSupport
import PlayedAPIs
import Serve
import Store
import TestSupport
import Testing

/// A hit is what a responder answers: for all kinds of hits, over both versions of HTTP.
@Suite(.timeLimit(.minutes(1))) struct SameResponseTests {
    typealias Fields = [(name: String, value: String)]

    /// What is asked for. In values of fields, TAG and DATE are those of the whole response.
    struct Request: Sendable {
        var path: String
        var fields: Fields = []
        var method = "GET"
        var isHit = true
    }

    struct Reply: Equatable {
        var status: Int
        var fields: [String: String]
        var byteCount: Int
        /// Without it over HTTP/2.
        var body: [UInt8] = []
    }

    enum Version: CaseIterable {
        case http1, http2

        typealias Ask = (Request) async throws -> Reply

        /// Runs the body beside a server, with a client that keeps its connection.
        func serving(
            _ pipeline: MediaPipeline, _ body: (Server, Ask) async throws -> Void
        ) async throws {
            switch self {
            case .http1:
                try await RunningServer.with(pipeline) { running in
                    try await body(running.server) { one in
                        let fields = one.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
                        let answers = try await running.ask(
                            [request(one.path, fields, method: one.method)],
                            heads: one.method == "HEAD" ? [0] : [])
                        let answer = try #require(answers.first)
                        return Reply(
                            status: answer.status, fields: answer.fields,
                            byteCount: answer.body.count, body: answer.body)
                    }
                }
            case .http2:
                try await TLSSite.with(pipeline) { site in
                    let client = try await site.http2(window: 1 << 30)
                    try await body(site.server) { one in
                        let stream = try await client.ask(
                            one.path, method: one.method,
                            fields: one.fields.map { ($0.name.lowercased(), $0.value) })
                        var answer = try #require(await client.answer(stream))
                        answer.fields["x-request-id"] = nil
                        #expect(answer.isEnded && answer.fields["connection"] == nil)
                        return Reply(
                            status: try #require(answer.status), fields: answer.fields,
                            byteCount: answer.bytes)
                    }
                }
            }
        }
    }

    enum Kind: CaseIterable {
        case memory, disk, original, blob, sheet, page, item, gallery, description

        /// Show 1, and a list with it.
        func harness() async throws -> Harness {
            let harness = try await HitSite.harness(memory: self == .disk ? 100 : nil)
            _ = try await harness.pipeline.pictures.original(of: harness.item(1))
            let show = Harness.show(1, medium: nil, original: "")
            harness.origin.on("/shows", host: Harness.apiHost) { request in
                request.query == "page=0"
                    ? .json("[\(show)]") : .json(TVMazeProblem.notFound.json.text, status: 404)
            }
            return harness
        }

        func requests(_ harness: Harness) async throws -> [Request] {
            switch self {
            case .memory: Self.pictures + Self.negotiated + Self.others
            case .disk: Self.pictures
            case .original: Self.files("/o/tvmaze/show/1")
            case .blob:
                Self.files("/b/\(try await harness.picture(1, "m", .webp).picture.facts.digest)")
            case .sheet: Self.sheets
            case .page: Self.documents("/v1/tvmaze/shows?page=0")
            case .item: Self.documents("/v1/tvmaze/show/1")
            case .gallery: Self.documents("/")
            case .description: Self.documents("/openapi.json")
            }
        }

        /// What changes nothing, or is the client's copy.
        private static func common(_ path: String, _ accept: Fields = []) -> [Request] {
            let tag = ("If-None-Match", "TAG")
            return [
                Request(path: path, fields: accept),
                Request(path: path, fields: accept, method: "HEAD"),
                Request(path: path, fields: accept + [tag]),
                Request(path: path, fields: accept + [tag], method: "HEAD"),
                Request(path: path, fields: accept + [("If-None-Match", "W/TAG")]),
                Request(path: path, fields: accept + [("Connection", "close")]),
                Request(path: path, fields: accept + [("X-Request-Id", "1")]),
                Request(
                    path: path,
                    fields: accept + [("User-Agent", "a"), ("Sec-Fetch-Dest", "image")]
                        + [("Cookie", "a=b"), ("Priority", "u=1, i")]),
            ]
                + [
                    ("If-None-Match", "\"other\""), ("If-None-Match", "\"other\", TAG"),
                    ("If-None-Match", "*"), ("Authorization", "Bearer x"), ("User-Agent", "\u{e9}"),
                    ("If-Modified-Since", "Tue, 14 Nov 2023 22:13:19 GMT"),
                ].map { Request(path: path, fields: accept + [$0], isHit: false) }
        }

        private static let pictures: [Request] =
            [HitSite.path, HitSite.path + ".jpg", HitSite.path + ".webp"].flatMap {
                common($0) + [
                    Request(path: $0, fields: [("If-Modified-Since", "DATE")]),
                    Request(
                        path: $0, fields: [("If-None-Match", "TAG"), ("If-Modified-Since", "x")]),
                    Request(
                        path: $0,
                        fields: [("If-None-Match", "\"other\""), ("If-Modified-Since", "DATE")],
                        isHit: false),
                    // A thumbnail has no ranges.
                    Request(path: $0, fields: [("Range", "bytes=0-1"), ("If-Range", "x")]),
                ]
            }

        private static let negotiated: [Request] =
            [
                "image/jpeg", "image/avif,image/webp;q=0.1,image/*;q=0.8", "application/json", "",
            ].map { Request(path: HitSite.path, fields: [("accept", $0)]) } + [
                Request(
                    path: HitSite.path,
                    fields: [("accept", "image/jpeg"), ("accept", "image/webp")], isHit: false)
            ]

        /// Queries that mean nothing, and targets that only responders know.
        private static let others: [Request] =
            ["?x=1", "?", ".jpg?utm=%20a&b", "?expires=1"].map {
                Request(path: HitSite.path + $0)
            }
            + [
                HitSite.path + "?x=%zz", HitSite.path + "?x=%00", HitSite.path + ".gif",
                HitSite.path + ".JPEG", "/t/m/tvmaze/show/%31", "/t/q/tvmaze/show/1",
                "/t/m/tvmaze/show/01", "/t/m/tvmaze/show/..", "/healthz", "/t/m/url/a/b",
                "/o/tvmaze/show/99", "/o/none/show/1", "/o/tvmaze/show/%", "/b/sha256-00",
                "/b/sha256-\(String(repeating: "0", count: 64))", "/sheet/none/tvmaze/shows",
                "/sheet/xs/tvmaze/shows.png",
            ].map { Request(path: $0, isHit: false) }
            + [Request(path: HitSite.path, method: "POST", isHit: false)]

        private static func files(_ path: String) -> [Request] {
            common(path) + common(path + (path.hasPrefix("/b/") ? ".webp" : "?x=1")) + [
                Request(path: path, fields: [("Range", "bytes=5-9")]),
                Request(path: path, fields: [("Range", "bytes=-3"), ("If-Range", "TAG")]),
                Request(path: path, fields: [("Range", "bytes=0-"), ("If-Range", "\"x\"")]),
                Request(path: path, fields: [("Range", "bytes=5-9")], method: "HEAD"),
            ]
                + [
                    ("Range", "bytes=0-1,4-5"), ("Range", "bytes=99999999-"), ("If-Match", "\"x\""),
                ].map { Request(path: path, fields: [$0], isHit: false) }
        }

        private static let sheets: [Request] = [
            "/sheet/xs/tvmaze/shows", "/sheet/xs/tvmaze/shows.jpg?page=0",
        ].flatMap {
            common($0) + [Request(path: $0, fields: [("Range", "bytes=0-1")])]
        }

        /// Only codings make the gallery and the description short enough for a hit.
        private static func documents(_ path: String) -> [Request] {
            let isShort = path.hasPrefix("/v1/")
            let coded = ["gzip", "br, gzip", "identity"].prefix(isShort ? 3 : 2).flatMap { coding in
                let accept = ("Accept-Encoding", coding)
                return common(path, [accept])
                    + [
                        ("Origin", "https://other.example"), ("X-Forwarded-For", "192.0.2.1"),
                        ("Accept-Language", "en"), ("Via", "1.1 proxy"),
                    ].map { Request(path: path, fields: [accept, $0]) }
                    + [
                        // Pages of other sites get the gallery uncompressed.
                        ("Sec-Fetch-Site", "cross-site"), ("Referer", "http://a/"),
                    ].map { Request(path: path, fields: [accept, $0], isHit: path != "/") } + [
                        Request(path: path, fields: [accept, ("Range", "bytes=0-1")], isHit: false)
                    ]
            }
            let broken = isShort ? "/v1/none/shows" : path + "?%"
            return coded + [
                Request(path: path, isHit: isShort), Request(path: broken, isHit: false),
            ]
        }
    }

    /// What the responses of responders are not made for.
    private static let conditions: Set = [
        "If-None-Match", "If-Modified-Since", "If-Match", "If-Range", "Range", "Connection",
        "Authorization",
    ]

    @Test(arguments: Kind.allCases, Version.allCases)
    func `a hit is what a responder answers`(kind: Kind, version: Version) async throws {
        try await withHarness(kind.harness()) { harness in
            let requests = try await kind.requests(harness)
            try await version.serving(harness.pipeline) { server, ask in
                for one in requests {
                    // HTTP/2 has no such field.
                    if version == .http2, one.fields.contains(where: { $0.name == "Connection" }) {
                        continue
                    }
                    var (whole, direct, wayRound) = (one, one, one)
                    whole.fields = one.fields.filter { !Self.conditions.contains($0.name) }
                    whole.fields.append(("X-Odd", "1"))
                    // Made by the first request.
                    if one.method == "HEAD" { whole.method = "GET" }
                    let known = try await ask(whole).fields
                    for place in one.fields.indices {
                        direct.fields[place].value = one.fields[place].value
                            .replacing("TAG", with: known["etag"] ?? "")
                            .replacing("DATE", with: known["last-modified"] ?? "")
                    }
                    wayRound.fields = [("X-Odd", "1")] + direct.fields
                    // A picture on the disk is read first, then sent from its open file.
                    for _ in 0..<(kind == .disk ? 2 : 1) {
                        let before = server.counts.responded
                        let reply = try await ask(direct)
                        let between = server.counts.responded
                        #expect(try await ask(wayRound) == reply, "\(direct)")
                        #expect((between == before) == one.isHit, "\(direct)")
                        #expect(server.counts.responded == between + 1, "\(direct)")
                    }
                }
            }
        }
    }

    @Test func `hits are counted by route, status and how they were found`() async throws {
        try await withHarness(Kind.page.harness()) { harness in
            let blob = "/b/\(try await harness.picture(1, "m", .webp).picture.facts.digest)"
            try await Version.http1.serving(harness.pipeline) { _, ask in
                let original = Request(path: "/o/tvmaze/show/1")
                let tag = try #require(try await ask(original).fields["etag"])
                for fields in [[], [("Range", "bytes=0-0")], [("If-None-Match", tag)]] {
                    _ = try await ask(Request(path: original.path, fields: fields))
                }
                for path in [blob, HitSite.path, HitSite.path + ".jpg", HitSite.path] {
                    _ = try await ask(Request(path: path))
                }
                for path in ["/", "/openapi.json", "/v1/tvmaze/show/1", "/v1/tvmaze/shows"] {
                    for _ in 0..<3 {
                        _ = try await ask(
                            Request(path: path, fields: [("Accept-Encoding", "gzip")]))
                    }
                }
                let metrics = try await ask(Request(path: "/metrics")).body
                let lines = Set(
                    String(decoding: metrics, as: UTF8.self).split(separator: "\n").map(String.init)
                )
                for (cache, route, status, count) in [
                    ("hit", "/o/", 200, 2), ("hit", "/o/", 206, 1), ("hit", "/o/", 304, 1),
                    ("hit", "/b/", 200, 1), ("hit", "/t/", 200, 3), ("none", "/", 200, 3),
                    ("none", "/openapi.json", 200, 3),
                    // The show is known, the list is not.
                    ("hit", "/v1/", 200, 5), ("miss", "/v1/", 200, 1),
                ] {
                    let labels = #"cache="\#(cache)",route="\#(route)",status="\#(status)""#
                    #expect(lines.contains("vitrine_http_requests_total{\(labels)} \(count)"))
                }
                for (route, count) in [("/o/", 4), ("/t/", 3)] {
                    let labels = #"cache="hit",route="\#(route)""#
                    #expect(
                        lines.contains("vitrine_http_request_seconds_count{\(labels)} \(count)"))
                }
            }
        }
    }
}
