import Testing

@testable import Catalog

@Suite(.timeLimit(.minutes(1))) struct CandidateOrderTests {
    struct Case: CustomTestStringConvertible, Sendable {
        /// `label:rank:width`, `?` for an unknown width, `>` for a step to another item.
        var chain: String
        var width: Int
        var expected: String

        var testDescription: String { "\(chain) for \(width)" }
    }

    static let cases = [
        Case(chain: "medium:0:210 original:0:?", width: 80, expected: "medium original"),
        Case(chain: "medium:0:210 original:0:?", width: 210, expected: "medium original"),
        Case(chain: "medium:0:210 original:0:?", width: 211, expected: "original medium"),
        Case(chain: "a:0:640 b:0:300 c:0:64", width: 160, expected: "b a c"),
        Case(chain: "a:0:640 b:0:300 c:0:64", width: 640, expected: "a b c"),
        Case(chain: "c:0:64 b:0:300 a:0:640", width: 1280, expected: "a b c"),
        Case(chain: "u:0:? s:0:100 l:0:2000", width: 320, expected: "l u s"),
        Case(chain: "b:1:320 a:0:100", width: 320, expected: "a b"),
        Case(chain: "x:0:500 y:0:500 z:0:500", width: 320, expected: "x y z"),
        Case(chain: "u:0:? v:0:? s:0:10 t:0:10", width: 320, expected: "u v s t"),
        Case(
            chain: "o:0:680 m:0:210 f:1:700 g:1:210 >", width: 160, expected: "m o g f >"),
        Case(
            chain: "o:0:680 m:0:210 > late:0:160 early:0:150", width: 150,
            expected: "m o > early late"),
        Case(chain: "> >", width: 150, expected: "> >"),
        Case(chain: "", width: 150, expected: ""),
    ]

    @Test(arguments: cases)
    func `a level takes what covers it, then larger, then unknown, then smaller`(
        _ given: Case
    ) {
        let item = Item(source: "tvmaze", kind: "show", id: "1")
        let chain = given.chain.split(separator: " ").map { text -> ChainStep in
            let parts = text.split(separator: ":")
            guard parts.count == 3 else { return .item(item) }
            return .candidate(
                Candidate(
                    url: "https://static.tvmaze.com/\(parts[0])", label: String(parts[0]),
                    rank: Int(parts[1]) ?? -1, width: Int(parts[2])))
        }
        let details = ItemDetails(entry: CatalogEntry(item: item, title: "x"), chain: chain)
        #expect(
            details.orderedChain(for: PictureBox(width: given.width, height: 0)).labels
                == given.expected)
    }
}

extension [ChainStep] {
    /// Labels with spaces between; `>` for a step to another item.
    var labels: String {
        map { step in
            switch step {
            case .candidate(let candidate): candidate.label
            case .scalable(let scalable): scalable.label
            case .item: ">"
            }
        }.joined(separator: " ")
    }
}

@Suite(.timeLimit(.minutes(1))) struct ScalableCandidateTests {
    private func candidates(
        _ width: Int, _ height: Int, most: (width: Int, height: Int)?
    ) -> [String] {
        let scalable = ScalableCandidate(
            template: "https://iiif.micr.io/A/full/!{width},{height}/0/default.jpg",
            label: "IIIF", rank: 0, maxWidth: most?.width, maxHeight: most?.height)
        let item = Item(source: "rijksmuseum", kind: "object", id: "1")
        let details = ItemDetails(
            entry: CatalogEntry(item: item, title: "x"), chain: [.scalable(scalable)])
        return details.orderedChain(for: PictureBox(width: width, height: height)).map { step in
            guard case .candidate(let candidate) = step else { return "?" }
            let size = candidate.url.split(separator: "/").dropLast(2).last ?? ""
            return "\(size) \(candidate.label) \(candidate.width ?? 0) \(candidate.height ?? 0)"
        }
    }

    @Test(
        arguments: [
            (320, 480, nil, ["!320,480 IIIF 320×480 320 480", "!160,240 IIIF 160×240 160 240"]),
            (
                320, 480, (14_645, 12_158),
                ["!320,480 IIIF 320×266 320 266", "!160,240 IIIF 160×133 160 133"]
            ),
            (
                1_280, 1_920, (900, 1_000),
                ["!900,1000 IIIF 900×1000 900 1000", "!450,500 IIIF 450×500 450 500"]
            ),
            (
                320, 480, (200, 5_000),
                ["!200,480 IIIF 19×480 19 480", "!100,240 IIIF 10×240 10 240"]
            ),
            // What no picture has is not known.
            (3, 1, (.max, .max), ["!3,1 IIIF 3×1 3 1", "!1,1 IIIF 1×1 1 1"]),
            (320, 480, (1, 1), ["!1,1 IIIF 1×1 1 1"]),
            (0, 0, nil, ["!1,1 IIIF 1×1 1 1"]),
            (3, 1, nil, ["!3,1 IIIF 3×1 3 1", "!1,1 IIIF 1×1 1 1"]),
        ] as [(Int, Int, (width: Int, height: Int)?, [String])])
    func `the wanted size, never more than there is, then half of it`(
        width: Int, height: Int, most: (width: Int, height: Int)?, expected: [String]
    ) {
        #expect(candidates(width, height, most: most) == expected)
    }
}

/// The boxes of the levels that come with the service.
enum LevelBoxes {
    static let all = [80, 160, 320, 640, 1_280].map {
        PictureBox(width: $0, height: $0 * 3 / 2)
    }
}

extension ItemDetails {
    /// Labels of its candidates as a level of that width tries them.
    func labels(for box: PictureBox) -> String {
        orderedChain(for: box).compactMap { $0.candidate?.label }.joined(separator: " → ")
    }

    /// The address that a level tries first.
    func firstURL(for box: PictureBox) -> String? {
        orderedChain(for: box).first?.candidate?.url
    }
}

extension ChainStep {
    var candidate: Candidate? {
        if case .candidate(let candidate) = self { candidate } else { nil }
    }
}
