import Catalog
import FoundationEssentials
import Testing

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
