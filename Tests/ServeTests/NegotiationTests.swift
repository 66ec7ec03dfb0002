import FoundationEssentials
import HTTPTypes
import Imaging
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
