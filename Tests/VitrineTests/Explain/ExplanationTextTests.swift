import Catalog
import Foundation
import Hashing
import Imaging
import Store
import Testing

@testable import Console
@testable import Pipeline
@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct ExplanationTextTests {
    private static let now = Date(timeIntervalSince1970: 1_763_840_000)
    private static let week = now + 7 * 86_400
    private static let url = "https://static.tvmaze.com/uploads/images/original/163/407679.jpg"
    private static let digest = Digest(of: [1])

    private static func explanation() throws -> Explanation {
        var original = OriginalRecord(url: url, fetchedAt: now, freshUntil: week)
        original.digest = digest
        original.byteCount = 164_900
        original.format = "jpeg"
        (original.width, original.height) = (680, 1_000)
        var explanation = Explanation(
            item: try #require(Item("tvmaze/show/169")), title: "Show 169",
            candidates: [
                .init(label: "original", url: url, original: original, milliseconds: 42),
                .init(
                    label: "medium", url: "https://static.tvmaze.com/m.jpg", width: 210, height: 295
                ),
            ], levels: [])
        explanation.trace = Trace(
            encoded: Array(
                """
                {"walkedAt":\((now - 7_200).timeIntervalSinceReferenceDate),"steps":[
                {"label":"catalog tvmaze/show/169","outcome":"followed","note":"stored"},
                {"label":"medium","outcome":"failed","note":"The origin answered 404.","ms":9},
                {"label":"original","url":"\(url)","outcome":"chosen","note":"200","ms":42}]}
                """.utf8))
        explanation.levels = [
            .init(
                level: Level(name: "s", width: 160, height: 240),
                resolution: ItemRecord.Resolution(
                    levels: ["s:160x240"], original: digest, url: url, failure: nil, trace: nil,
                    resolvedAt: now, freshUntil: week),
                thumbnails: ["webp", "jpeg"].map { format in
                    ThumbnailRecord(
                        ThumbnailKey(
                            original: digest, level: "s:160x240", format: format, recipe: ""),
                        PictureFacts(
                            digest: digest, byteCount: format == "webp" ? 4_990 : 7_400,
                            width: 160, height: 235, renderedAt: now))
                }),
            .init(level: Level(name: "xl", width: 1_280, height: 1_920), thumbnails: []),
        ]
        return explanation
    }

    @Test func `an explanation is a few lines that fit a terminal`() throws {
        let text = ExplanationText(explanation: try Self.explanation(), now: Self.now).text
        #expect(
            text == """
                tvmaze/show/169  Show 169

                Candidates, in order of preference
                  1. original: chosen
                     https://static.tvmaze.com/uploads/images/original/163/407679.jpg
                     jpeg 680×1000, 165 KB, fetched in 42 ms, fresh for 7 days
                     sha256-\(Self.digest.hex)
                  2. medium 210×295: not needed
                     https://static.tvmaze.com/m.jpg

                Last look-up, 2 hours ago (2025-11-22T17:33:20Z)
                  catalog tvmaze/show/169: stored
                  medium: The origin answered 404. 9 ms
                  original: 200, 42 ms, chosen

                Levels
                  s     160×240  jpeg  160×235  7.4 KB  fresh for 7 days
                                 webp  160×235  5.0 KB
                  xl  1280×1920  not made yet
                """)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test func `a title can neither command the terminal nor fake a line`() throws {
        var explanation = try Self.explanation()
        explanation.title = "\u{1b}]0;Show\u{7}\nLevels"
        let text = ExplanationText(explanation: explanation, now: Self.now).text
        #expect(text.hasPrefix("tvmaze/show/169  \\u001b]0;Show\\u0007\\nLevels\n\nCandidates"))
    }

    @Test func `what went wrong is named, with the time until it is tried again`() throws {
        var explanation = try Self.explanation()
        let failure = Failure(.absent, "The origin answered 404.", until: Self.now + 3_600)
        explanation.candidates[0].original?.digest = nil
        explanation.candidates[0].original?.failure = FailureRecord(
            kind: "absent", reason: "The origin answered 404.", until: Self.now + 3_600)
        explanation.trace = nil
        explanation.levels[0].resolution?.original = nil
        explanation.levels[0].failure = failure
        let text = ExplanationText(explanation: explanation, now: Self.now).text
        #expect(text.contains("1. original: failed\n"))
        #expect(
            text.contains("     absent: The origin answered 404.\n     remembered for 60 minutes"))
        #expect(text.contains("\n\nNever requested\n\n"))
        #expect(text.contains("s     160×240  placeholder: absent, remembered for 60 minutes"))
    }
}
