import Catalog
import PlayedAPIs
import Testing

@testable import Demo

/// The museum is read by the product's own source.
@Suite(.timeLimit(.minutes(1))) struct RijksmuseumSiteTests {
    static let objects = ObjectCatalog(seed: 2_013, count: 120)
    let search: RijksmuseumSearchSite
    let records: RijksmuseumRecordSite
    let images = IIIFSite(
        catalog: objects, artist: Artist(seed: 2_013), pictures: .forTests())
    let source = Rijksmuseum()

    init() {
        let records = RijksmuseumRecords(catalog: Self.objects)
        search = RijksmuseumSearchSite(catalog: Self.objects, records: records)
        self.records = RijksmuseumRecordSite(records: records)
    }

    private var objects: [DemoObject] { Self.objects.objects }
    private var api: PlayedAPI { PlayedAPI(sites: [search, records, images]) }

    private func find(_ query: String) -> DemoAnswer {
        search.answer(DemoRequest(url: "https://data.rijksmuseum.nl/search/collection\(query)"))
    }

    private func record(
        _ number: some CustomStringConvertible, accept: String = "application/ld+json"
    ) -> DemoAnswer {
        var request = DemoRequest(url: "https://id.rijksmuseum.nl/\(number)")
        request.accept = accept
        return records.answer(request)
    }

    private func details(_ object: DemoObject) async throws -> ItemDetails {
        try await source.details(
            of: source.item(kind: "object", id: "\(object.number)"), api: api)
    }

    @Test func `equal seeds give equal objects, and other seeds others`() {
        #expect(ObjectCatalog(seed: 2_013, count: 120).objects == objects)
        #expect(ObjectCatalog(seed: 2_013, count: 7).objects == Array(objects.prefix(7)))
        #expect(ObjectCatalog(seed: 2_014, count: 120).objects != objects)
        #expect(Set(objects.map(\.image)).count == 120)
        #expect(Set(objects.map(\.subject.motif)).count == ArtworkSubject.all.count)
    }

    @Test func `the collection is read to its end in pages of at most twenty`()
        async throws
    {
        let available = objects.filter { $0.quirk != .noDigitalObject }
        var pages: [CatalogPage] = []
        var next: ListQuery? = try source.query(list: "objects", parameters: [:])
        while let query = next, pages.count < 10 {
            let page = try #require(try await source.page(query, api: api))
            pages.append(page)
            next = page.next
        }
        #expect(next == nil)
        #expect(pages.dropLast().allSatisfy { $0.items.count == 20 })
        #expect(pages.allSatisfy { $0.total == available.count })
        let items = pages.flatMap(\.items)
        #expect(items.map(\.entry.item.id) == available.map { "\($0.number)" })
        #expect(items.allSatisfy { $0.entry.subtitle != nil })
    }

    @Test func `later pages lead back, the last one no further`() {
        let first = find("").text
        #expect(first.contains(#""totalItems":120"#) && !first.contains(#""prev""#))
        let token = "?pageToken=eyJ0b2tlbiI6IDEwMH0"
        #expect(
            first.contains(
                #""next":{"id":"https://data.rijksmuseum.nl/search/collection\#(token)""#))
        let last = find(token).text
        #expect(last.contains(#""prev":{"#) && !last.contains(#""next""#))
        #expect(last.split(separator: "HumanMadeObject").count == 21)
        #expect(find("?title=zzqqxx").text.hasSuffix(#""orderedItems":[]}"#))
    }

    @Test(arguments: ["?pageToken=x", "?pageToken=", "?imageAvailable=perhaps"])
    func `values without meaning are a bad request`(query: String) {
        #expect(find(query).status == 400)
    }

    @Test func `an unknown parameter is a bad request that names it`() {
        let answer = find("?title=molen&foo=1")
        #expect(answer.status == 400)
        #expect(answer.text == #"{"detail":"Unsupported query parameter: foo"}"#)
    }

    @Test func `searches find whole words in both languages, all conditions at once`() throws {
        func found(_ query: [String: String]) -> [DemoObject] {
            search.objects(query, hasImage: nil)
        }
        #expect(found(["title": "stilleven"]).allSatisfy { $0.subject.motif.name == "stillLife" })
        #expect(found(["title": "Still Life"]).count < found(["title": "stilleven"]).count)
        #expect(found(["title": "stillev"]).isEmpty)
        let object = objects[0]
        let year = try #require(object.record.years?.lowerBound)
        #expect(found(["objectNumber": object.record.objectNumber]) == [object])
        let prefix = object.record.objectNumber.prefix(4)
        #expect(found(["objectNumber": "\(prefix)*"]).contains(object))
        #expect(found(["creationDate": "16??"]).count > 80)
        #expect(found(["creationDate": "\(year)"]).contains(object))
        #expect(found(["type": "painting", "material": "oil"]).allSatisfy { !$0.subject.isTiles })
        let maker = try #require(object.record.maker?.name)
        #expect(found(["creator": maker, "title": object.record.title]).contains(object))
        #expect(
            search.objects([:], hasImage: false).allSatisfy {
                $0.quirk == .noDigitalObject
            })
    }

    @Test func `programs get records, people are sent to a page, others to the other host`() {
        let plain = objects[0]
        let answer = record(plain.number)
        #expect(answer.status == 200)
        #expect(answer.contentType == "application/ld+json")
        let page = record(plain.number, accept: "text/html,application/xhtml+xml")
        #expect(page.status == 303)
        #expect(page.fields["Location"]?.hasPrefix("https://www.rijksmuseum.nl/") == true)
        let detour = record(objects[3].number)
        #expect(detour.status == 303)
        let location = "https://data.rijksmuseum.nl/\(objects[3].number)"
        #expect(detour.fields["Location"] == location)
        #expect(search.answer(DemoRequest(url: location)).status == 200)
        #expect(record("200310001").status == 400)
        #expect(record("nothing").status == 404)
    }

    @Test func `the reader finds every title, maker and date`() async throws {
        for object in objects {
            let entry = try await details(object).entry
            #expect(entry.title == object.record.englishTitle ?? object.record.title)
            #expect(entry.translations?["nl"]?.title == object.record.title)
            #expect(
                entry.subtitle?.hasPrefix(object.record.maker?.name ?? "?") == true,
                "\(object.index)")
            #expect(entry.date?.hasPrefix("\(object.record.years?.lowerBound ?? 0)") == true)
        }
    }

    @Test func `the reader sees the quirk of an object`() async throws {
        for object in objects {
            let chain = try await details(object).chain
            switch object.quirk {
            case .noDigitalObject, .noVisualItem, .noAccessPoint, .notDownloadable:
                #expect(chain.isEmpty, "\(object.index)")
            case .secondDigitalObject, nil:
                guard case .scalable(let picture) = chain.first else {
                    Issue.record("object \(object.index) has no picture")
                    continue
                }
                #expect(picture.template.contains("/\(object.image)/full/!"))
                #expect((picture.maxWidth ?? 0) > 1_000)
            }
        }
    }

    @Test func `every shape of record that is allowed occurs`() {
        let texts = objects.map { $0.record.json.text }
        func share(_ isSo: (String) -> Bool) -> Int { texts.count(where: isSo) }
        // Types as bare addresses, notations without brackets, assigned makers, former titles first.
        #expect(share { $0.contains(#""classified_as":["http"#) } > 20)
        #expect(share { $0.contains(#""notation":{"#) } > 10)
        #expect(share { $0.contains(#""assigned_by""#) } > 10)
        #expect(share { $0.contains(#""identified_by":[{"type":"Name","content""#) } > 10)
        #expect(share { $0.contains(#""translation_of""#) } > 10)
        #expect(share { !$0.contains("300388277\",\"type\":\"Language\"}],\"translation") } > 10)
        #expect(objects.count { $0.record.englishTitle == nil } > 20)
        let digital = objects.map { $0.digitalObjectJSON(0).text }
        #expect(digital.contains { $0.contains(#""access_point":{"#) })
        #expect(digital.contains { $0.contains(#""access_point":[{"#) })
        #expect(digital.contains { $0.contains(#""niet downloadbaar""#) })
    }

    @Test func `records have the fields that were recorded`() throws {
        let object = objects[30]
        let played: [(JSON, String)] = [
            (object.visualItemJSON, "visualitem-202108369"),
            (objects[9].visualItemJSON, "visualitem-202556187-no-digital-object"),
            (object.digitalObjectJSON(0), "digitalobject-500118708085845066105"),
            (object.imageInfo, "iiif-info-PJEZO"),
        ]
        for (json, name) in played {
            guard let recorded = try RecordedShape(recording: "rijksmuseum/\(name).json") else {
                return
            }
            let shape = try RecordedShape(json.bytes)
            #expect(recorded.paths.subtracting(shape.paths) == [], "\(name)")
        }
        // One object has not all of the forms that records come in; all of them together do.
        let all = try objects.reduce(into: Set<String>()) {
            $0.formUnion(try RecordedShape($1.record.json.bytes).paths)
        }
        for name in ["object-200108369", "object-200656394-dutch-title-only"] {
            guard let recorded = try RecordedShape(recording: "rijksmuseum/\(name).json") else {
                return
            }
            // Where it was made is left out, and of which object a technique's number speaks.
            let missing = recorded.paths.subtracting(all).filter {
                !$0.hasPrefix("produced_by.part[].took_place_at")
                    && !$0.hasPrefix("produced_by.technique[].identified_by")
            }
            #expect(missing.sorted() == [], "\(name)")
        }
        guard let recorded = try RecordedShape(recording: "rijksmuseum/search-collection.json")
        else { return }
        let search = try RecordedShape(find("").body)
        #expect(recorded.paths.subtracting(search.paths) == [])
    }
}
