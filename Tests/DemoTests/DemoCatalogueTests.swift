import Testing

@testable import Demo

@Suite(.timeLimit(.minutes(1))) struct DemoCatalogueTests {
    static let catalogue = DemoCatalogue(seed: 2_013, count: 300)
    var catalogue: DemoCatalogue { Self.catalogue }

    @Test func `equal seeds give equal shows, others don't`() {
        #expect(DemoCatalogue(seed: 2_013, count: 300).shows == catalogue.shows)
        #expect(DemoCatalogue(seed: 2_014, count: 300).shows != catalogue.shows)
    }

    @Test func `a larger catalogue begins with a smaller one`() {
        let small = DemoCatalogue(seed: 2_013, count: 40)
        #expect(small.shows == Array(catalogue.shows.prefix(40)))
    }

    @Test func `ids rise from 1 with gaps, and a show is found under its id`() {
        let ids = catalogue.shows.map(\.id)
        #expect(ids.count == 300)
        #expect(ids.first == 1)
        #expect(ids == ids.sorted() && Set(ids).count == 300)
        #expect((305...330).contains(ids.last ?? 0))
        let gaps = Set(1...(ids.last ?? 1)).subtracting(ids)
        #expect(gaps.allSatisfy { catalogue.show($0) == nil })
        #expect(ids.allSatisfy { catalogue.show($0)?.id == $0 })
        #expect(catalogue.show(0) == nil)
    }

    @Test func `a page covers 250 ids and is shorter than that`() throws {
        #expect(catalogue.pages == 2)
        let first = try #require(catalogue.page(0))
        let second = try #require(catalogue.page(1))
        #expect(first.count < 249)
        #expect(first.allSatisfy { $0.id < 250 })
        #expect(second.allSatisfy { (250..<500).contains($0.id) })
        #expect(first.count + second.count == 300)
        #expect(catalogue.page(2) == nil)
        #expect(catalogue.page(-1) == nil)
    }

    @Test func `no two shows share a title`() {
        #expect(Set(catalogue.shows.map(\.title)).count == 300)
    }

    @Test func `each peculiarity is rare, and there is one of each`() {
        for peculiarity in Peculiarity.allCases {
            let count = catalogue.shows.count { $0.peculiarity == peculiarity }
            #expect((1...15).contains(count), "\(peculiarity)")
        }
    }

    @Test func `summaries are HTML of whole sentences`() {
        let summaries = catalogue.shows.compactMap(\.summary)
        #expect(summaries.count > 270)
        #expect(summaries.allSatisfy { $0.hasPrefix("<p>") && $0.hasSuffix(".</p>") })
        #expect(summaries.allSatisfy { $0.contains("<b>") })
    }
}
