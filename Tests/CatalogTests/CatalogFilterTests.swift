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

@Suite(.timeLimit(.minutes(1))) struct PartialDateTests {
    @Test(arguments: [
        ("2013-06-24", 20_130_624, 20_130_624), ("2013-06", 20_130_601, 20_130_630),
        ("2013", 20_130_101, 20_131_231), ("2024-02-29", 20_240_229, 20_240_229),
        ("2000-02", 20_000_201, 20_000_229), ("1900-02", 19_000_201, 19_000_228),
        ("1642-12", 16_421_201, 16_421_231),
    ])
    func `a day, a month and a year are spans of days`(text: String, first: Int, last: Int) {
        let date = PartialDate(text)
        #expect(date?.first == first)
        #expect(date?.last == last)
    }

    @Test(arguments: [
        "", "13", "2013-13-01", "2013-00", "2013-02-29", "2013-06-31", "2013-6-4", "2013-06-24x",
        "24.06.2013", "2013-06-24-01", "-2013", "20133", "２０１３", "2013-06-", "+013",
    ])
    func `text that is not a date is refused`(text: String) {
        #expect(PartialDate(text) == nil)
    }

    @Test(arguments: [
        (951_782_400.0, "2000-02-29"), (-1, "1969-12-31"), (-62_135_596_800, "0001-01-01"),
        (253_402_300_799, "9999-12-31"), (253_402_300_800, nil), (1e300, nil), (-1e300, nil),
    ])
    func `a day is written with four digits of the year`(seconds: Double, text: String?) {
        let date = PartialDate(dayOf: Date(timeIntervalSince1970: seconds))
        #expect(date.firstDay == text)
    }

    @Test(arguments: [
        (0.0, 19_700_101), (-1, 19_691_231), (951_782_400, 20_000_229), (951_868_800, 20_000_301),
        (1_735_689_599, 20_241_231), (1_735_689_600, 20_250_101), (-2_208_988_800, 19_000_101),
    ])
    func `a moment falls on its day in UTC`(seconds: Double, day: Int) {
        #expect(PartialDate(dayOf: Date(timeIntervalSince1970: seconds)).first == day)
    }
}

@Suite(.timeLimit(.minutes(1))) struct CatalogPolicyTests {
    let now = Date(timeIntervalSince1970: 1_700_000_000)

    @Test func `a page is fresh until it expires and not at that moment`() {
        let policy = CatalogPolicy()
        #expect(policy.isFresh(expiresAt: now + 1, now: now))
        #expect(!policy.isFresh(expiresAt: now, now: now))
        #expect(!policy.isFresh(expiresAt: now - 1, now: now))
    }

    @Test func `reading a page gives it another 15 minutes, unless it has expired`() {
        let policy = CatalogPolicy()
        #expect(policy.renewed(fetchedAt: now - 899, expiresAt: now + 1, now: now) == now + 900)
        #expect(policy.renewed(fetchedAt: now - 900, expiresAt: now, now: now) == nil)
    }

    @Test(arguments: [
        (0, 240, 240), (960, 240, 40), (999, 5, 1), (1_000, 240, 0), (5_000, 240, 0),
        (760, 240, 240), (0, 0, 0), (0, 1_500, 1_000),
    ])
    func `the first 1,000 items by index belong on disk`(
        firstIndex: Int, count: Int, expected: Int
    ) {
        let persisted = CatalogPolicy().persistedCount(firstIndex: firstIndex, count: count)
        #expect(persisted == expected)
    }
}
