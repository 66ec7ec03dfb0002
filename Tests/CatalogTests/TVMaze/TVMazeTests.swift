import Catalog
import Fetch
import Testing

@Suite(.timeLimit(.minutes(1))) struct TVMazeTests {
    let source = TVMaze()

    @Test(arguments: [("1", "1"), ("007", "7"), ("9999999999", "9999999999"), ("00010", "10")])
    func `an id is a number without leading zeros`(given: String, canonical: String) throws {
        let item = try source.item(kind: "poster", id: given)
        #expect(item.description == "tvmaze/poster/\(canonical)")
    }

    @Test(arguments: ["", "0", "000", "-1", "+1", "1.5", "abc", "1 ", "12345678901", "١"])
    func `an id that is not a number is refused`(id: String) {
        #expect(
            throws: Failure.invalid(
                reason: "A TVMaze id is a positive number of at most 10 digits, not “\(id)”.")
        ) {
            try source.item(kind: "show", id: id)
        }
    }

    @Test func `an unknown kind is absent`() {
        #expect(
            throws: Failure.notFound(
                reason: "TVMaze has no kind “episode”; it has “show” and “poster”.")
        ) {
            try source.item(kind: "episode", id: "1")
        }
    }

    @Test(
        arguments: [
            ("shows", [:], ["page": "0"]), ("shows", ["page": "007"], ["page": "7"]),
            ("shows", ["page": ""], ["page": "0"]),
            ("shows", ["page": "100000"], ["page": "100000"]),
            ("search", ["q": "  the   dome "], ["q": "the   dome"]),
            ("search", ["q": "été"], ["q": "été"]),
        ] as [(String, [String: String], [String: String])])
    func `a query is checked and completed`(
        list: String, given: [String: String], expected: [String: String]
    ) throws {
        let query = try source.query(list: list, parameters: given)
        #expect(query == ListQuery(source: "tvmaze", list: list, parameters: expected))
    }

    @Test(
        arguments: [
            (
                "shows", ["page": "-1"],
                "“page” must be a whole number from 0 to 100000, not “-1”."
            ),
            (
                "shows", ["page": "100001"],
                "“page” must be a whole number from 0 to 100000, not “100001”."
            ),
            ("shows", ["page": "x"], "“page” must be a whole number from 0 to 100000, not “x”."),
            (
                "shows", ["pages": "1"],
                "TVMaze's list “shows” has no parameter “pages”; "
                    + "it knows “page”, “title”, “from”, “to” and “genre”."
            ),
            ("search", [:], "TVMaze's list “search” needs a search term as “q”."),
            ("search", ["q": "  "], "TVMaze's list “search” needs a search term as “q”."),
            ("search", ["q": " ab "], "A search term needs at least 3 characters."),
            (
                "search", ["q": String(repeating: "x", count: 201)],
                "A search term may have at most 200 characters."
            ),
            (
                "search", ["q": "dome", "page": "1"],
                "TVMaze's list “search” has no parameter “page”; "
                    + "it knows “q”, “title”, “from”, “to” and “genre”."
            ),
        ] as [(String, [String: String], String)])
    func `a query that can't be meant is refused with a sentence`(
        list: String, given: [String: String], sentence: String
    ) {
        #expect(throws: Failure.invalid(reason: sentence)) {
            try source.query(list: list, parameters: given)
        }
    }

    @Test func `an unknown list is absent`() {
        #expect(
            throws: Failure.notFound(
                reason: "TVMaze has no list “schedule”; it has “shows” and “search”.")
        ) {
            try source.query(list: "schedule", parameters: [:])
        }
    }

    @Test func `the API is asked at most 20 times in 10 seconds`() {
        let policies = source.hostPolicies.map { ($0.pattern.description, $0.policy) }
        #expect(policies.map(\.0) == ["api.tvmaze.com", "static.tvmaze.com"])
        #expect(policies.map(\.1.maxConcurrent) == [4, 16])
        #expect(policies[0].1.rate == .init(count: 20, per: .seconds(10)))
        #expect(policies[1].1.rate == nil)
    }
}
