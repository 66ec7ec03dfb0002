import Catalog
import JSON
import PlayedAPIs
import Testing

@Suite(.timeLimit(.minutes(1))) struct TVMazeDetailsTests {
    let source = TVMaze()
    let medium = "https://static.tvmaze.com/uploads/images/medium_portrait/1/2.jpg"
    let original = "https://static.tvmaze.com/uploads/images/original_untouched/1/2.jpg"

    private func show(_ json: String) async throws -> ItemDetails {
        let api = ScriptedAPI(json: ["https://api.tvmaze.com/shows/7": json])
        return try await source.details(of: source.item(kind: "show", id: "007"), api: api)
    }

    private func poster(_ json: String) async throws -> ItemDetails {
        let api = ScriptedAPI(json: ["https://api.tvmaze.com/shows/7/images": json])
        return try await source.details(of: source.item(kind: "poster", id: "7"), api: api)
    }

    @Test func `a show tells what a person wants to know`() async throws {
        let entry = try await show(
            """
            {"id":7,"url":"http://www.tvmaze.com/shows/7/saltwind","name":" Saltwind ",
             "genres":["Drama","Mystery"],"premiered":"2013-06-24","new":{"field":[1]},
             "network":{"id":2,"name":"Harbour One"},"webChannel":{"name":"Lantern"},
             "summary":"<p><b>Saltwind</b> is a town &amp; a wind.</p>"}
            """
        ).entry
        var expected = CatalogEntry(
            item: Item(source: "tvmaze", kind: "show", id: "7"), title: "Saltwind")
        expected.subtitle = "Harbour One"
        expected.date = "2013-06-24"
        expected.genres = ["Drama", "Mystery"]
        expected.summary = "Saltwind is a town & a wind."
        expected.link = "https://www.tvmaze.com/shows/7/saltwind"
        #expect(entry == expected)
    }

    @Test func `without a network the web channel is named`() async throws {
        let details = try await show(
            #"{"id":7,"network":null,"webChannel":{"name":"Lantern"},"summary":"<p></p>"}"#)
        #expect(details.entry.subtitle == "Lantern")
        #expect(details.entry.summary == nil)
    }

    @Test func `a show's picture is medium, then original`() async throws {
        let details = try await show(
            """
            {"id":7,"image":{"medium":"http\(medium.dropFirst(5))","original":"\(original)"}}
            """)
        #expect(
            details.chain == [
                .candidate(
                    Candidate(url: medium, label: "medium", rank: 0, width: 210, height: 295)),
                .candidate(Candidate(url: original, label: "original", rank: 0)),
            ])
        #expect(
            details.orderedChain(for: PictureBox(width: 160, height: 0)).labels == "medium original"
        )
        #expect(
            details.orderedChain(for: PictureBox(width: 320, height: 0)).labels == "original medium"
        )
    }

    @Test(arguments: [
        ("null", ""), ("{}", ""), (#"{"medium":null,"original":"@"}"#, "original"),
        (#"{"original":"@"}"#, "original"), (#"{"medium":"@","original":null}"#, "medium"),
        (#"{"medium":"@"}"#, "medium"), (#""@""#, ""), (#"{"medium":"","original":7}"#, ""),
        (#"{"medium":"https://example.org/a.jpg","original":"@"}"#, "original"),
    ])
    func `missing pictures and those on other hosts are left out`(image: String, labels: String)
        async throws
    {
        let url = "https://static.tvmaze.com/a.jpg"
        let image = image.split(separator: "@", omittingEmptySubsequences: false)
            .joined(separator: url)
        let details = try await show(#"{"id":7,"image":\#(image)}"#)
        #expect(details.chain.labels == labels)
    }

    /// One image of the list: `2 poster main 680 210` has number 2, widths of original and medium.
    private func image(_ text: String) -> JSON {
        let parts = text.split(separator: " ").map(String.init)
        func file(_ kind: String, _ width: String) -> TVMazeImage.File {
            ("https://static.tvmaze.com/\(kind)/\(parts[0]).jpg", Int(width) ?? 0, 1_000)
        }
        return TVMazeImage(
            id: Int(parts[0]) ?? 0, type: parts[1] == "null" ? nil : parts[1],
            isMain: parts[2] == "main", original: file("original", parts[3]),
            medium: parts.count > 4 ? file("medium", parts[4]) : nil
        ).json
    }

    @Test(arguments: [
        (["1 poster main 680 210"], "1o 1m >"),
        (["1 poster - 680 210", "2 poster main 680 210"], "2o 2m 1o 1m >"),
        (["1 null - 1400", "2 banner - 758", "3 poster - 680 210", "4 poster - 10 10"], "3o 3m >"),
        (["1 background main 1920", "2 poster - 680"], "2o >"),
        (["1 poster main 680", "2 poster main 680"], "1o >"),
        (["1 background - 1920"], ">"),
        ([], ">"),
    ])
    func `a poster is the main one, the first one, then the show's picture`(
        images: [String], expected: String
    ) async throws {
        let details = try await poster(JSON.list(images.map(image)).text)
        let steps = details.chain.map { step -> String in
            guard case .candidate(let candidate) = step else { return ">" }
            let file = candidate.url.split(separator: "/").suffix(2)
            return file.map { $0.prefix(1) }.reversed().joined()
        }
        #expect(steps.joined(separator: " ") == expected)
        #expect(details.chain.last == .item(Item(source: "tvmaze", kind: "show", id: "7")))
    }

    @Test func `a poster's candidates carry name, rank and size`() async throws {
        let details = try await poster(
            JSON.list([image("1 poster - 900 210"), image("2 poster main 680 210")]).text)
        let candidates = details.chain.compactMap { step -> Candidate? in
            if case .candidate(let candidate) = step { candidate } else { nil }
        }
        #expect(
            candidates.map(\.label) == [
                "main poster (original)", "main poster (medium)", "first poster (original)",
                "first poster (medium)",
            ])
        #expect(candidates.map(\.rank) == [0, 0, 1, 1])
        #expect(candidates.map(\.width) == [680, 210, 900, 210])
        #expect(
            details.orderedChain(for: PictureBox(width: 160, height: 0)).labels
                == "main poster (medium) main poster (original) "
                + "first poster (medium) first poster (original) >")
    }

    @Test func `a poster is named after its show and costs one call`() async throws {
        let api = ScriptedAPI(json: ["https://api.tvmaze.com/shows/7/images": "[]"])
        let details = try await source.details(
            of: Item(source: "tvmaze", kind: "poster", id: "007"), api: api)
        #expect(details.entry.title == "Poster of show 7")
        #expect(details.entry.item.description == "tvmaze/poster/7")
        #expect(details.entry.link == "https://www.tvmaze.com/shows/7")
        #expect(api.asked.count == 1)
    }

    @Test func `a poster has its show's own facts where all are wanted`() async throws {
        let poster = #"""
            [{"type":"poster","main":true,
              "resolutions":{"original":{"url":"https://static.tvmaze.com/o.jpg"}}}]
            """#
        let show = #"{"id":183,"name":"Dome","premiered":"2013-06-24","genres":["Drama"]}"#
        let api = ScriptedAPI(json: [
            "https://api.tvmaze.com/shows/183/images": poster,
            "https://api.tvmaze.com/shows/183": show,
        ])
        let item = try source.item(kind: "poster", id: "183")
        #expect(try await source.details(of: item, api: api).isComplete == false)
        #expect(api.asked.count == 1)
        let details = try await source.completeDetails(of: item, api: api)
        #expect(details.isComplete)
        #expect(details.entry.item == item)
        #expect(details.entry.title == "Dome")
        #expect(details.entry.date == "2013-06-24")
        #expect(details.entry.genres == ["Drama"])
        #expect(details.chain.labels == "main poster (original) >")
    }

    @Test func `images of odd shape lose only themselves`() async throws {
        let details = try await poster(
            """
            [null, 3, {"type":"poster","main":"yes","resolutions":[]}, {"type":7},
             {"type":"poster","main":true,"resolutions":{"original":{"url":"https://example.org/x"},
              "medium":{"url":"\(medium)","width":"210","height":-1}}}]
            """)
        #expect(
            details.chain.first
                == .candidate(Candidate(url: medium, label: "main poster (medium)", rank: 0)))
    }

    @Test(arguments: ["show", "poster"], [404, 410])
    func `an unknown show is absent`(kind: String, status: Int) async throws {
        let answer = APIAnswer(
            status: status,
            body: TVMazeProblem.notFound.json.bytes)
        let api = ScriptedAPI([
            "https://api.tvmaze.com/shows/999999": answer,
            "https://api.tvmaze.com/shows/999999/images": answer,
        ])
        await #expect(throws: Failure.notFound(reason: "TVmaze has no show 999999.")) {
            try await source.details(of: source.item(kind: kind, id: "999999"), api: api)
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct TVMazePageTests {
    let source = TVMaze()

    private func shows(_ page: String) throws -> ListQuery {
        try source.query(list: "shows", parameters: ["page": page])
    }

    @Test func `a short page of the index has a next one`() async throws {
        let api = ScriptedAPI(json: [
            "https://api.tvmaze.com/shows?page=3": JSON.list([
                TVMazeShow(id: 760, name: "Saltwind").json
            ]).text
        ])
        let page = try #require(try await source.page(shows("3"), api: api))
        #expect(page.items.map(\.entry.item.description) == ["tvmaze/show/760"])
        #expect(page.next == (try shows("4")))
        #expect(page.firstIndex == 750)
        #expect(api.asked.map(\.allowedHosts.count) == [1])
    }

    @Test
    func
        `a page begins at most 250 items after the one before, and the last possible one is an end`()
        async throws
    {
        let api = ScriptedAPI(json: [
            "https://api.tvmaze.com/shows?page=0": "[]",
            "https://api.tvmaze.com/shows?page=100000": "[]",
        ])
        #expect(try await source.page(shows("0"), api: api)?.firstIndex == 0)
        let last = try #require(try await source.page(shows("100000"), api: api))
        #expect(last.next == nil)
    }

    @Test func `a broken show loses only itself`() async throws {
        let api = ScriptedAPI(json: [
            "https://api.tvmaze.com/shows?page=0": """
            [{"id":1,"name":"One"}, null, 7, "x", {"name":"no id"}, {"id":"2"}, {"id":-3},
             {"id":4,"name":5,"image":[],"genres":"Drama","summary":{},"network":"x","url":1},
             {"id":5,"name":null,"genres":["Drama",null,3," War "],"premiered":"soon",
              "url":"https://example.org/shows/5","image":{"medium":3,"original":null}}]
            """
        ])
        let page = try #require(try await source.page(shows("0"), api: api))
        #expect(page.items.map(\.entry.item.id) == ["1", "4", "5"])
        #expect(page.items.map(\.entry.title) == ["One", "Show 4", "Show 5"])
        #expect(page.items.last?.entry.genres == ["Drama", "War"])
        #expect(page.items.last?.entry.date == nil)
        #expect(page.items.last?.entry.link == nil)
        #expect(page.items.allSatisfy { $0.chain.isEmpty })
    }

    @Test func `a search is one page in the order of the answer`() async throws {
        let api = ScriptedAPI(json: [
            "https://api.tvmaze.com/search/shows?q=snow%20%26%20%C3%A9t%C3%A9%2F": """
            [{"score":0.9,"show":{"id":10412,"name":"Snow"}}, {"score":0.8}, {"score":0.7,"show":null},
             {"score":"?","show":{"id":3,"name":"Snowy"}}]
            """
        ])
        let query = try source.query(list: "search", parameters: ["q": "snow & été/"])
        let page = try #require(try await source.page(query, api: api))
        #expect(page.items.map(\.entry.title) == ["Snow", "Snowy"])
        #expect(page.next == nil)
        #expect(page.firstIndex == 0)
    }
}
