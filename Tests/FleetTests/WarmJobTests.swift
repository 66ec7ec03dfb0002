import Catalog
import Foundation
import Pipeline
import Testing

@testable import Fleet

@Suite struct WarmJobTests {
    private static func item(_ id: Int) -> Item {
        Item(source: "tvmaze", kind: "show", id: "\(id)")
    }

    private static func described(
        _ id: Int, bytes: Int = 100, chain: [ChainStep] = []
    ) -> ItemDescription {
        var entry = CatalogEntry(item: item(id), title: "Show \(id)")
        entry.summary = String(repeating: "x", count: bytes)
        return ItemDescription(
            ItemDetails(entry: entry, chain: chain), fetchedAt: Date(timeIntervalSince1970: 1.5))
    }

    @Test func `a job is read as it was written`() throws {
        let job = WarmJob(
            items: ["tvmaze/show/1"], run: "run", known: [Self.described(1)])
        #expect(WarmJob(json: try job.body()) == job)
    }

    @Test(arguments: [
        #"{"items":["tvmaze/show/1"],"run":"run"}"#,
        #"{"items":["tvmaze/show/1"],"run":"run","known":[{"other":"version"}]}"#,
    ]) func `a job without descriptions that this version reads is a job all the same`(
        _ text: String
    ) {
        #expect(WarmJob(json: Array(text.utf8)) == WarmJob(items: ["tvmaze/show/1"], run: "run"))
    }

    @Test func `jobs have sixteen items, each with its description`() throws {
        let jobs = try WarmJob.jobs(
            (1...40).map(Self.item), (1...40).map { Self.described($0) }, run: "run")
        #expect(jobs.map(\.items.count) == [16, 16, 8])
        for job in jobs { #expect(job.known.map(\.item.description) == job.items) }
    }

    @Test func `long descriptions make smaller jobs, and one that is too long is left out`() throws
    {
        let half = WarmJob.maxDescriptionBytes / 2 - 1_000
        let known = [
            Self.described(1, bytes: half), Self.described(2, bytes: half),
            Self.described(3, bytes: half),
            Self.described(4, bytes: WarmJob.maxDescriptionBytes),
        ]
        let jobs = try WarmJob.jobs((1...4).map(Self.item), known, run: "run")
        #expect(
            jobs.map(\.items) == [
                ["tvmaze/show/1", "tvmaze/show/2"], ["tvmaze/show/3", "tvmaze/show/4"],
            ])
        #expect(
            jobs.map { $0.known.map(\.item) } == [[Self.item(1), Self.item(2)], [Self.item(3)]])
        for job in jobs { #expect(try job.body().count < WarmJob.maxDescriptionBytes + 2_000) }
    }

    @Test func `an item that several lead to is described once in each job`() throws {
        let link = ChainStep.item(Self.item(99))
        let known = (1...20).map { Self.described($0, chain: [link]) } + [Self.described(99)]
        let jobs = try WarmJob.jobs((1...20).map(Self.item), known, run: "run")
        #expect(jobs.map { job in job.known.count { $0.item == Self.item(99) } } == [1, 1])
    }
}
