/// Counts the results of a `thumb` run and reports them: failures at once, progress on a terminal,
/// totals at the end.
struct ThumbCounts {
    private var report: ProgressReport
    private var thumbnails = 0
    private let began: ContinuousClock.Instant
    private let progress: ProgressLine
    private let errors: StandardError

    init(total: Int, errors: StandardError = .shared) {
        report = ProgressReport(noun: "pictures", total: total)
        began = .now
        self.errors = errors
        progress = ProgressLine(errors, plainInterval: nil)
    }

    var failed: Int { report.failed }

    mutating func add(_ outcome: ThumbRun.Outcome) {
        report.done += 1
        report.bytes += outcome.bytes
        report.elapsed = .now - began
        thumbnails += outcome.thumbnails
        if let failure = outcome.failure {
            report.failed += 1
            errors.line("\(outcome.input.place): \(failure)")
        }
        progress.update(report)
    }

    /// Prints `12 pictures, 120 thumbnails, 3.4 MB in 1.2 s (10.0 pictures/s), 1 failed`.
    mutating func finish() {
        progress.finish()
        report.elapsed = .now - began
        let seconds = report.elapsed / .seconds(1)
        let rate = seconds > 0 ? Double(report.done) / seconds : 0
        print(
            """
            \(ProgressReport.counted(report.done, "picture")), \
            \(ProgressReport.counted(thumbnails, "thumbnail")), \
            \(ProgressReport.megabytes(report.bytes)) in \(ProgressReport.decimal(seconds)) s \
            (\(ProgressReport.decimal(rate)) pictures/s)\
            \(report.failed > 0 ? ", \(report.failed) failed" : "")
            """)
    }
}
