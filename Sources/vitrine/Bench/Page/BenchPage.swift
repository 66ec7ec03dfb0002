/// A report as a page.
struct BenchPage {
    let report: BenchReport
    init(_ report: BenchReport) { self.report = report }
    var html: String { "" }
}
