import Catalog
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(1))) struct CatalogFilterTests {
    /// 2024-05-17, late in the evening.
    let now = Date(timeIntervalSince1970: 1_715_986_800)

    struct Case: CustomTestStringConvertible, Sendable {
        var filter: [String: String]
        var title = "Amélie à l’Ørsted Straße"
        var date: String? = "2013-06-24"
        var passes: Bool

        var testDescription: String { "\(filter) on \(title), \(date ?? "no date")" }
    }

    static let cases = [
        Case(filter: [:], date: nil, passes: true),
        Case(filter: ["title": "amelie"], passes: true),
        Case(filter: ["title": "AMÉLIE A"], passes: true),
        Case(filter: ["title": "  orsted "], passes: true),
        Case(filter: ["title": "strasse"], passes: true),
        Case(filter: ["title": "l'ørsted"], passes: true),
        Case(filter: ["title": "ame\u{301}lie"], passes: true),
        Case(filter: ["title": "orsten"], passes: false),
        Case(filter: ["title": "   "], passes: true),
        Case(filter: ["genre": "science-fiction"], passes: true),
        Case(filter: ["genre": "DRAMA"], passes: true),
        Case(filter: ["genre": "science"], passes: false),
        Case(filter: ["genre": "Drama", "title": "nothing"], passes: false),
        Case(filter: ["from": "2013-06-24"], passes: true),
        Case(filter: ["from": "2013-06-25"], passes: false),
        Case(filter: ["to": "2013-06-24"], passes: true),
        Case(filter: ["to": "2013-06-23"], passes: false),
        Case(filter: ["from": "2013", "to": "2013"], passes: true),
        Case(filter: ["from": "2012", "to": "2012"], passes: false),
        Case(filter: ["from": "2013-06", "to": "2013-06"], passes: true),
        Case(filter: ["from": "2013-09-01"], date: "2013", passes: true),
        Case(filter: ["from": "2014"], date: "2013", passes: false),
        Case(filter: ["from": "1900"], date: nil, passes: false),
        Case(filter: ["to": "2024-05-17"], passes: true),
        Case(filter: ["to": "2024"], passes: true),
        Case(filter: ["page": "7"], passes: true),
    ]

    @Test(arguments: cases)
    func `an entry passes when every filter agrees`(_ given: Case) throws {
        var entry = CatalogEntry(
            item: Item(source: "tvmaze", kind: "show", id: "1"), title: given.title)
        entry.genres = ["Drama", "Science-Fiction"]
        entry.date = given.date
        let filter = try CatalogFilter(parameters: given.filter, now: now)
        #expect(filter.matches(entry) == given.passes)
    }

    @Test(arguments: [
        (["from": "2014", "to": "2013"], "“from” is after “to”."),
        (["from": "2013-06-25", "to": "2013-06-24"], "“from” is after “to”."),
        (["from": "2024-05-18"], "“from” is a date in the future."),
        (["to": "2024-05-18"], "“to” is a date in the future."),
        (["to": "2025"], "“to” is a date in the future."),
        (["from": "yesterday"], "“from” is not a date. Use YYYY-MM-DD, YYYY-MM or YYYY."),
        (["from": " "], "“from” is not a date. Use YYYY-MM-DD, YYYY-MM or YYYY."),
        (["to": "2013-02-30"], "“to” is not a date. Use YYYY-MM-DD, YYYY-MM or YYYY."),
    ])
    func `a date that can't be meant is refused with a sentence`(
        filter: [String: String], sentence: String
    ) {
        #expect(throws: Failure.invalid(reason: sentence)) {
            try CatalogFilter(parameters: filter, now: now)
        }
    }

    @Test func `a filter knows whether it asks for anything`() throws {
        #expect(try CatalogFilter(parameters: ["title": "", "page": "1"], now: now).isEmpty)
        for name in CatalogFilter.parameterNames {
            let filter = try CatalogFilter(parameters: [name: "2013"], now: now)
            #expect(!filter.isEmpty, "\(name)")
        }
    }
}
