import Catalog
import Pipeline
import PipelineSupport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct WarmFilterTests {
    /// Shows 1…3 on one page.
    private func harness() async throws -> Harness {
        let harness = try await Harness()
        let shows = (1...3).map { Harness.show($0) }.joined(separator: ",")
        harness.origin.on("/shows", host: Harness.apiHost, .json("[\(shows)]"))
        return harness
    }

    private func plan(_ harness: Harness, _ parameters: [String: String]) throws -> WarmPlan {
        try WarmPlan(
            source: "tvmaze", list: "shows", words: [], parameters: parameters, pages: "0",
            of: harness.pipeline)
    }

    @Test(arguments: [
        (["title": "show 2"], [2]), (["genre": "drama", "from": "2013"], [1, 2, 3]),
        (["to": "2012"], []), ([:], [1, 2, 3]),
    ])
    func `a warm run warms what its filters let through`(
        parameters: [String: String], ids: [Int]
    ) async throws {
        try await withHarness(harness()) { harness in
            let request = try plan(harness, parameters)
                .request(renditions: harness.levels, concurrency: 1)
            var items: [Item] = []
            try await harness.pipeline.warm.items(of: request) { listed in
                for try await item in listed { items.append(item) }
            }
            #expect(items == ids.map { harness.item($0) })
        }
    }

    @Test(arguments: [
        (
            ["q": "dome"],
            "TVmaze's list “shows” has no parameter “q”; "
                + "it knows “page”, “title”, “from”, “to” and “genre”."
        ),
        (["from": "2014", "to": "2013"], "“from” is after “to”."),
        (["from": "soon"], "“from” is not a date. Use YYYY-MM-DD, YYYY-MM or YYYY."),
    ])
    func `a parameter that a list doesn't have, or can't be meant, is refused`(
        parameters: [String: String], sentence: String
    ) async throws {
        try await withHarness(harness()) { harness in
            #expect(throws: Failure.invalid(reason: sentence)) {
                try plan(harness, parameters)
            }
            #expect(harness.origin.log.requests.isEmpty)
        }
    }
}
