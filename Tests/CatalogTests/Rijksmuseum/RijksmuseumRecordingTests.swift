import Catalog
import TestSupport
import Testing

/// Recorded answers of the real museum, trimmed to a few entries of each list.
@Suite(.timeLimit(.minutes(1))) struct RijksmuseumRecordingTests {
    let source = Rijksmuseum()
    static let search = "https://data.rijksmuseum.nl/search/collection?"

    private func recording(_ name: String) throws -> String {
        try Recordings.text("rijksmuseum/\(name)")
    }

    /// All records that were recorded, by their numbers, and all sizes of pictures.
    private func museum(_ more: [String: String] = [:]) throws -> MuseumScript {
        var bodies: [String: String?] = more.mapValues { $0 }
        for name in try Recordings.names(of: "rijksmuseum") {
            let parts = name.split(separator: "-")
            guard parts.count > 1 else { continue }
            let text = try recording(name)
            switch parts[0] {
            case "object", "visualitem", "digitalobject": bodies[String(parts[1])] = text
            case "iiif": bodies[MadeUp.info(String(parts[2]))] = text
            default: break
            }
        }
        return MuseumScript(bodies)
    }

    private func details(_ id: String) async throws -> ItemDetails {
        try await source.details(of: source.item(kind: "object", id: id), api: museum())
    }

    @Test func `the Milkmaid has titles in both languages, and former ones do not win`()
        async throws
    {
        let details = try await details("200108369")
        #expect(details.entry.title == "The Milkmaid")
        #expect(details.entry.language == "en")
        #expect(details.entry.subtitle == "Johannes Vermeer")
        #expect(details.entry.translations?["nl"]?.title == "Het melkmeisje")
        #expect(details.entry.date == "1660")
        #expect(details.entry.objectNumber == "SK-A-2344")
        #expect(details.entry.link == "https://www.rijksmuseum.nl/en/collection/SK-A-2344")
        #expect(details.entry.rights == "https://creativecommons.org/publicdomain/mark/1.0/")
        #expect(
            details.orderedChain(for: PictureBox(width: 320, height: 480)).urls.first
                == "https://iiif.micr.io/QkOGy/full/!320,480/0/default.jpg")
        #expect(details.chain.first.map { "\($0)" }?.contains("maxWidth: Optional(3969)") == true)
    }

    @Test func `a record with strings and objects mixed`() async throws {
        // Its VisualItem was not recorded; the museum played here does not know it.
        let details = try await details("200107942")
        #expect(details.entry.title == "Portrait of a Woman, Probably Maria Trip (1619-1683)")
        #expect(
            details.entry.translations?["nl"]?.title
                == "Portret van een vrouw, waarschijnlijk Maria Trip")
        #expect(details.entry.subtitle == "Rembrandt van Rijn")
        #expect(details.entry.date == "1639")
        #expect(details.entry.medium == "oil on panel")
        #expect(details.entry.dimensions == "height 107 cm x width 82 cm")
        #expect(details.entry.creditLine == "On loan from the Familie Van Weede Stichting")
        // The description is in Dutch only.
        #expect(details.entry.summary?.hasPrefix("Portret van Maria Trip (1619-83)") == true)
        let dutch = try details.entry.inLanguage(
            LanguagePreference(lang: "nl", acceptLanguage: nil))
        #expect(dutch.medium == "olieverf op paneel")
        #expect(dutch.dimensions == "hoogte 107 cm x breedte 82 cm")
        #expect(dutch.creditLine == "Bruikleen van de Familie Van Weede Stichting")
        #expect(details.entry.objectNumber == "SK-C-597")
        #expect(details.chain.isEmpty)
    }

    @Test func `a Dutch title is shown to all, and the maker comes from an attribution`()
        async throws
    {
        let details = try await details("200656394")
        #expect(details.entry.title == "Affiche voor Zegepraal door Israël Querido")
        #expect(details.entry.language == "nl")
        #expect(details.entry.subtitle == "Jan Sluijters (mentioned on object)")
        #expect(
            details.entry.translations?["nl"]?.subtitle == "Jan Sluijters (vermeld op object)")
        #expect(details.entry.date == "1923")
        #expect(
            details.orderedChain(for: PictureBox(width: 320, height: 480)).urls.first
                == "https://iiif.micr.io/fHoVe/full/!320,480/0/default.jpg")
    }

    @Test func `an object without a picture has its rights and no chain`() async throws {
        let details = try await details("200556187")
        #expect(details.entry.title == "Portret van Rembrandt")
        #expect(details.entry.objectNumber == "RP-T-1981-182-1")
        #expect(details.entry.rights == "https://creativecommons.org/publicdomain/mark/1.0/")
        #expect(details.absence == "Rijksmuseum has no picture of object 200556187.")
    }

    /// The objects of these pictures were not recorded; the ones here are made up.
    @Test(
        arguments: [
            ("202107928", "PJEZO", "https://creativecommons.org/publicdomain/mark/1.0/"),
            ("202322097", "tfWQb", "https://creativecommons.org/publicdomain/mark/1.0/"),
            ("202100873", nil, "https://rightsstatements.org/vocab/InC/1.0/"),
        ] as [(String, String?, String)])
    func `every recorded picture is found, but for the one that is not given away`(
        visual: String, name: String?, rights: String
    ) async throws {
        let object = MadeUp.object(1, #""shows":"https://id.rijksmuseum.nl/\#(visual)""#)
        let details = try await source.details(
            of: source.item(kind: "object", id: "1"), api: museum(["1": object]))
        let urls = details.orderedChain(for: PictureBox(width: 80, height: 120)).urls
        #expect(
            urls.first == name.map { "https://iiif.micr.io/\($0)/full/!80,120/0/default.jpg" })
        #expect(details.entry.rights == rights)
        #expect((details.absence == nil) == (name != nil))
    }

    @Test(arguments: ["QkOGy", "PJEZO", "fHoVe", "NYkLJ"])
    func `every recorded size is read`(name: String) async throws {
        let object = MadeUp.object(1, #""shows":"https://id.rijksmuseum.nl/2""#)
        let details = try await source.details(
            of: source.item(kind: "object", id: "1"),
            api: museum([
                "1": object,
                "2": MadeUp.record(
                    2, "VisualItem", #""digitally_shown_by":"https://id.rijksmuseum.nl/3""#),
                "3": MadeUp.record(
                    3, "DigitalObject", #""access_point":"\#(MadeUp.picture(name))""#),
            ]))
        #expect(details.chain.labels == "IIIF")
    }

    @Test func `a hundred ids are five pages, and the last leads on`() async throws {
        let museum = try museum([
            Self.search + "imageAvailable=true": recording("search-collection"),
            "200322097": MadeUp.object(200_322_097),
        ])
        var query = try source.query(list: "objects", parameters: [:])
        var items: Set<Item> = []
        for part in 1...5 {
            let page = try #require(try await source.page(query, api: museum))
            #expect(page.items.count == 20)
            items.formUnion(page.items.map(\.entry.item))
            #expect(page.total == 833_382)
            query = try #require(page.next)
            #expect(
                query.parameters
                    == (part < 5 ? ["part": "\(part)"] : ["pageToken": "eyJ0b2tlbiI6IDEwNH0"]))
        }
        #expect(items.count == 100)
    }

    @Test(arguments: [
        ("rembrandt-nachtwacht", "title=Nachtwacht&creator=Rembrandt&", 1),
        ("milkmaid", "title=The%20Milkmaid&creator=Johannes%20Vermeer&", 1),
        ("empty", "title=zzqqxx&", 0),
    ])
    func `the last page has no next one`(name: String, search: String, count: Int) async throws {
        let museum = try museum([
            "\(Self.search)\(search)imageAvailable=true": recording("search-collection-\(name)")
        ])
        var parameters: [String: String] = [:]
        for pair in search.split(separator: "&") {
            let halves = pair.split(separator: "=")
            parameters[String(halves[0])] = String(halves[1]).replacing("%20", with: " ")
        }
        let query = try source.query(list: "objects", parameters: parameters)
        let page = try #require(try await source.page(query, api: museum))
        #expect(page.items.count == count)
        #expect(page.total == count)
        #expect(page.next == nil)
    }

    @Test func `the recorded refusal is not a page`() async throws {
        let museum = try museum([
            Self.search + "imageAvailable=true": recording("error-400-unsupported-parameter")
        ])
        let query = try source.query(list: "objects", parameters: [:])
        await #expect(throws: Failure.self) { try await source.page(query, api: museum) }
    }
}
