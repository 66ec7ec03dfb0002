import Catalog
import Fetch
import Testing

@Suite(.timeLimit(.minutes(1))) struct RijksmuseumTests {
    let source = Rijksmuseum()

    @Test(arguments: [
        ("200107928", "200107928"), ("007", "7"),
        ("12345678901234567890", "12345678901234567890"),
    ])
    func `an id is the number of a record`(given: String, canonical: String) throws {
        let item = try source.item(kind: "object", id: given)
        #expect(item.description == "rijksmuseum/object/\(canonical)")
    }

    @Test(arguments: [
        "", "0", "-1", "SK-C-5", "1 ", "1/2", "123456789012345678901", "١",
        "https://id.rijksmuseum.nl/1",
    ])
    func `an id that is not a number is refused`(id: String) {
        #expect(
            throws: Failure.invalid(
                reason: "A Rijksmuseum id is a positive number of at most 20 digits, not “\(id)”.")
        ) {
            try source.item(kind: "object", id: id)
        }
    }

    @Test func `an unknown kind or list is absent`() {
        #expect(
            throws: Failure.notFound(reason: "Rijksmuseum has no kind “show”; it has “object”.")
        ) {
            try source.item(kind: "show", id: "1")
        }
        #expect(
            throws: Failure.notFound(
                reason: "Rijksmuseum has no list “search”; it has “objects”.")
        ) {
            try source.query(list: "search", parameters: [:])
        }
    }

    @Test func `a search asks for pictures, with every parameter there is`() async throws {
        let given = [
            "title": "  Nachtwacht & meer ", "creator": "Rembrandt", "objectNumber": "SK-*",
            "creationDate": "16??", "type": "ei", "technique": "ets", "material": "",
            "pageToken": " e=+/ ",
        ]
        let query = try source.query(list: "objects", parameters: given)
        #expect(
            query.parameters == [
                "title": "Nachtwacht & meer", "creator": "Rembrandt", "objectNumber": "SK-*",
                "creationDate": "16??", "type": "ei", "technique": "ets", "pageToken": " e=+/ ",
            ])
        let url =
            "https://data.rijksmuseum.nl/search/collection?title=Nachtwacht%20%26%20meer"
            + "&creator=Rembrandt&objectNumber=SK-%2A&creationDate=16%3F%3F&type=ei&technique=ets"
            + "&imageAvailable=true&pageToken=%20e%3D%2B%2F%20"
        let museum = MuseumScript([url: #"{"type":"OrderedCollectionPage"}"#])
        #expect(try await source.page(query, api: museum)?.items.isEmpty == true)
        #expect(museum.calls.map(\.url) == [url])
        #expect(
            museum.calls.map { $0.allowedHosts.map(\.description) } == [["data.rijksmuseum.nl"]])
        // Pages are kept by the caller.
        #expect(museum.calls.allSatisfy { $0.keeping == nil })
    }

    @Test(
        arguments: [
            (["title": "ab"], "“title” needs at least 3 characters."),
            (["creator": " x "], "“creator” needs at least 3 characters."),
            (
                ["type": String(repeating: "x", count: 201)],
                "“type” may have at most 200 characters."
            ),
            (
                ["pageToken": String(repeating: "x", count: 4_097)],
                "“pageToken” may have at most 4096 bytes."
            ),
            (
                ["page": "1"],
                "Rijksmuseum's list “objects” has no parameter “page”; it knows “title”, "
                    + "“creator”, “objectNumber”, “creationDate”, “type”, “technique”, “material”, "
                    + "“pageToken”, “part”, “from”, “to” and “genre”."
            ),
        ] as [([String: String], String)])
    func `a query that can't be meant is refused with a sentence`(
        given: [String: String], sentence: String
    ) {
        #expect(throws: Failure.invalid(reason: sentence)) {
            try source.query(list: "objects", parameters: given)
        }
    }

    @Test func `the title is the list's own parameter`() {
        #expect(source.ownFilters(ofList: "objects") == ["title"])
        #expect(TVMaze().ownFilters(ofList: "shows").isEmpty)
    }

    @Test func `no host is asked for more than four answers at once`() {
        let policies = source.hostPolicies
        #expect(
            policies.map(\.pattern.description)
                == ["data.rijksmuseum.nl", "id.rijksmuseum.nl", "iiif.micr.io"])
        #expect(policies.map(\.policy.maxConcurrent) == [4, 4, 4])
        #expect(
            policies.map(\.policy.rate)
                == [
                    .init(count: 10, per: .seconds(1)), .init(count: 10, per: .seconds(1)), nil,
                ])
    }
}
