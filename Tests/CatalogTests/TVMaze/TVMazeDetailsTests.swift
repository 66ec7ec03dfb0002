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

    @Test func `any other refusal is unavailable`() async {
        let api = ScriptedAPI([
            "https://api.tvmaze.com/shows/7": APIAnswer(status: 403, body: [])
        ])
        await #expect(
            throws: Failure.unavailable(
                reason: "api.tvmaze.com answered 403.", timedOut: false, retryAfter: nil)
        ) {
            try await source.details(of: source.item(kind: "show", id: "7"), api: api)
        }
    }
}
