import FoundationEssentials
import HTTPTypes
import Imaging
import Pipeline
import Testing

@testable import Serve

@Suite(.timeLimit(.minutes(1))) struct NegotiationTests {
    @Test(
        arguments: [
            (nil, .webp), ("*/*", .webp), ("image/*", .webp), ("image/webp", .webp),
            ("image/jpeg", .jpeg), ("image/jpeg, image/webp", .webp),
            ("image/webp;q=0.5, image/jpeg", .jpeg), ("image/webp;q=0, */*", .jpeg),
            ("image/*;q=0.8, image/jpeg;q=0.9", .jpeg), ("IMAGE/WEBP ; Q=1", .webp),
            ("image/avif,image/webp,image/apng,*/*;q=0.8", .webp), ("text/html", .jpeg),
            ("", .jpeg), ("image/png, image/gif", .jpeg),
            ("image/webp;q=nonsense, image/jpeg", .jpeg),
        ] as [(String?, ThumbnailFormat)])
    func `the best accepted format is chosen, WebP before JPEG`(
        accept: String?, expected: ThumbnailFormat
    ) {
        #expect(Negotiation(accept: accept).format == expected)
    }

    @Test(
        arguments: [
            (nil, false), ("*/*", false), ("image/*", false), ("image/avif", true),
            ("image/avif,image/webp,image/apng,*/*;q=0.8", true), ("image/avif;q=0", false),
            ("image/avif;q=0.5,image/webp", false), ("image/avif;q=0.5,image/jpeg;q=0.5", true),
            ("IMAGE/AVIF", true), ("", false),
        ] as [(String?, Bool)])
    func `AVIF is preferred by clients that name it and like nothing better`(
        accept: String?, expected: Bool
    ) {
        #expect(Negotiation(accept: accept).prefersAVIF == expected)
    }

    @Test(
        arguments: [
            (nil, true), ("*/*", true), ("image/png", true), ("application/json", false),
            ("text/html, image/webp;q=0", false), ("", false), ("*/*;q=0", false),
            ("image/*;q=0, */*", false), ("image/*;q=0, image/jpeg;q=0.1", true),
            ("application/json, image/webp;q=nan", false),
        ] as [(String?, Bool)])
    func `a client without any image type is known`(accept: String?, expected: Bool) {
        #expect(Negotiation(accept: accept).acceptsImages == expected)
    }
}

@Suite(.timeLimit(.minutes(1))) struct ConditionalRequestTests {
    private static let tag = "\"sha256-ab\""
    private static let modified = Date(timeIntervalSince1970: 784_111_777.5)

    @Test(
        arguments: [
            (["If-None-Match": tag], true), (["If-None-Match": "W/\(tag)"], true),
            (["If-None-Match": "\"x\", \(tag)"], true), (["If-None-Match": "*"], true),
            (["If-None-Match": "\"x\""], false), (["If-None-Match": "sha256-ab"], false),
            ([:], false),
            (["If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"], true),
            (["If-Modified-Since": "Sun, 06 Nov 1994 08:49:36 GMT"], false),
            (["If-Modified-Since": "Sunday, 06-Nov-94 08:49:37 GMT"], true),
            (["If-Modified-Since": "Sunday, 06-Nov-94 08:49:36 GMT"], false),
            (["If-Modified-Since": "Sun Nov  6 08:49:37 1994"], true),
            (["If-Modified-Since": "Sun Nov  6 08:49:36 1994"], false),
            (["If-Modified-Since": "yesterday"], false),
            (
                [
                    "If-None-Match": "\"x\"",
                    "If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT",
                ], false
            ),
        ] as [([String: String], Bool)])
    func `entity tags decide before dates`(fields: [String: String], expected: Bool) {
        var sent = HTTPFields()
        for (name, value) in fields {
            if let name = HTTPField.Name(name) { sent[name] = value }
        }
        let condition = ConditionalRequest(sent)
        #expect(
            condition.isNotModified(entityTag: Self.tag, lastModified: Self.modified) == expected)
    }
}

@Suite(.timeLimit(.minutes(1))) struct ByteRangesTests {
    @Test(
        arguments: [
            (nil, .whole), ("bytes=0-9", .parts([0..<10])), ("bytes=90-", .parts([90..<100])),
            ("bytes=-10", .parts([90..<100])), ("bytes=-500", .parts([0..<100])),
            ("bytes=50-500", .parts([50..<100])), ("Bytes = 0-0", .whole),
            ("BYTES=0-0", .parts([0..<1])), ("bytes=0-0, 5-6", .parts([0..<1, 5..<7])),
            ("bytes=100-", .unsatisfiable), ("bytes=-0", .unsatisfiable),
            ("bytes=100-200,300-", .unsatisfiable), ("bytes=200-300,0-1", .parts([0..<2])),
            ("bytes=5-2", .whole), ("bytes=a-b", .whole), ("bytes=", .whole), ("bytes=-", .whole),
            ("items=0-1", .whole), ("bytes=0-99,0-99", .whole), ("bytes=1--2", .whole),
            ("bytes=0-99999999999999999999999", .parts([0..<100])),
            ("bytes=99999999999999999999999-", .unsatisfiable),
            ("bytes=" + (0...16).map { "\($0)-\($0)" }.joined(separator: ","), .whole),
        ] as [(String?, ByteRanges)])
    func `ranges are parsed as RFC 9110 requires`(field: String?, expected: ByteRanges) {
        #expect(ByteRanges(field, length: 100) == expected)
    }

    @Test func `an empty representation has no satisfiable range`() {
        #expect(ByteRanges("bytes=0-", length: 0) == .unsatisfiable)
        #expect(ByteRanges("bytes=-1", length: 0) == .unsatisfiable)
    }
}

@Suite(.timeLimit(.minutes(1))) struct PictureLifeTests {
    @Test(arguments: [
        (100, 1_000, "max-age=100, stale-while-revalidate=60, stale-if-error=900"),
        (100, 130, "max-age=100, stale-while-revalidate=30, stale-if-error=30"),
        (100, 3, "max-age=3, stale-while-revalidate=0, stale-if-error=0"),
        (-10, 20, "max-age=0, stale-while-revalidate=30, stale-if-error=30"),
        (-10, 0, "max-age=0, stale-while-revalidate=10, stale-if-error=10"),
        (100, -5, "max-age=0, stale-while-revalidate=0, stale-if-error=0"),
    ])
    func `the lifetime of a picture ends with its signed URL`(
        left: Int, linkLeft: Int, expected: String
    ) {
        var freshness = FreshnessPolicy()
        (freshness.staleWhileRevalidate, freshness.staleIfError) = (60, 10_000)
        let life = PictureLife(freshness)
        #expect(life.bounded(left: left, linkLeft: linkLeft) == "public, \(expected)")
    }
}
