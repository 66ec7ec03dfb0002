import PlayedAPIs
import Testing

@testable import Demo

@Suite(.timeLimit(.minutes(1))) struct ShowCatalogTests {
    static let catalog = ShowCatalog(seed: 2_013, count: 300)
    var catalog: ShowCatalog { Self.catalog }

    @Test func `equal seeds give equal shows, and other seeds others`() {
        #expect(ShowCatalog(seed: 2_013, count: 300).shows == catalog.shows)
        #expect(ShowCatalog(seed: 2_014, count: 300).shows != catalog.shows)
    }

    @Test func `a larger catalog begins with a smaller one`() {
        let small = ShowCatalog(seed: 2_013, count: 40)
        #expect(small.shows == Array(catalog.shows.prefix(40)))
    }

    @Test func `ids rise from 1 with gaps, and a show is found under its id`() {
        let ids = catalog.shows.map(\.id)
        #expect(ids.count == 300)
        #expect(ids.first == 1)
        #expect(ids == ids.sorted() && Set(ids).count == 300)
        #expect((305...330).contains(ids.last ?? 0))
        let gaps = Set(1...(ids.last ?? 1)).subtracting(ids)
        #expect(gaps.allSatisfy { catalog.show($0) == nil })
        #expect(ids.allSatisfy { catalog.show($0)?.id == $0 })
        #expect(catalog.show(0) == nil)
    }

    @Test func `a page covers 250 ids and is shorter than that`() throws {
        #expect(catalog.pages == 2)
        let first = try #require(catalog.page(0))
        let second = try #require(catalog.page(1))
        #expect(first.count < 249)
        #expect(first.allSatisfy { $0.id < 250 })
        #expect(second.allSatisfy { (250..<500).contains($0.id) })
        #expect(first.count + second.count == 300)
        #expect(catalog.page(2) == nil)
        #expect(catalog.page(-1) == nil)
    }

    @Test func `no two shows share a title`() {
        #expect(Set(catalog.shows.map(\.name)).count == 300)
    }

    @Test func `each quirk is rare, and there is one of each`() {
        let quirks: [Quirk] = [
            .mediumNull, .mediumMissing, .noPicture, .originalCut, .originalHTML, .mediumGone,
        ]
        for quirk in quirks {
            let count = catalog.shows.count { $0.quirk == quirk }
            #expect((1...15).contains(count), "\(quirk)")
        }
    }

    @Test func `summaries are HTML of whole sentences`() {
        let summaries = catalog.shows.compactMap(\.summary)
        #expect(summaries.count > 270)
        #expect(summaries.allSatisfy { $0.hasPrefix("<p>") && $0.hasSuffix(".</p>") })
        #expect(summaries.allSatisfy { $0.contains("<b>") })
    }
}
