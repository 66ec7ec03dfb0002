import Testing

@testable import Catalog

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
