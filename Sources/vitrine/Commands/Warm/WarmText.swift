import FoundationEssentials
import Pipeline

/// The sentences of a warm run for people. Pure.
enum WarmText {
    static func summary(_ summary: WarmSummary, _ usage: WarmUsage?) -> String {
        let pictures = summary.items - summary.placeholders - summary.failed
        var lines = [
            """
            \(counted(summary.items, "item")): \(counted(pictures, "picture")) \
            (\(counted(summary.fallbacks, "fallback"))), \
            \(counted(summary.placeholders, "placeholder")), \(summary.failed) failed
            """,
            """
            \(counted(summary.originals, "original")) fetched, \
            \(ProgressReport.megabytes(summary.bytesFetched)) in \
            \(counted(summary.requests, "request"))
            """,
            "\(counted(summary.thumbnails, "thumbnail")) rendered, \(summary.reused) reused",
        ]
        lines.append(
            "took \(decimal(summary.seconds)) s" + (usage.map { bounds(summary, $0) } ?? ""))
        if let forecast = summary.forecast { lines.append(comparison(forecast, summary)) }
        lines += stale(summary.stalePages)
        return lines.joined(separator: "\n")
    }

    /// The two bounds of the time, of which the larger one counts.
    private static func bounds(_ summary: WarmSummary, _ usage: WarmUsage) -> String {
        let bound = max(usage.seconds, summary.networkSeconds)
        guard bound > 0 else { return "" }
        return """
            , \(hundredths(summary.seconds / bound)) × the larger bound: processor \
            \(decimal(usage.seconds)) s (\(counted(usage.cores, "core"))), network \
            \(decimal(summary.networkSeconds)) s
            """
    }

    private static func comparison(_ forecast: WarmForecast, _ summary: WarmSummary) -> String {
        """
        the dry run expected \(counted(forecast.originals, "original")), \
        \(ProgressReport.megabytes(forecast.bytesFetched)), \
        \(counted(forecast.requests, "request")), \(decimal(forecast.seconds)) s
        """
    }

    static func forecast(_ forecast: WarmForecast) -> String {
        var lines = [
            """
            \(counted(forecast.items, "item")): \(forecast.missing) missing, \
            \(forecast.stale) stale, \(forecast.fresh) fresh
            """,
            """
            would fetch up to \(counted(forecast.originals, "original")) and render \
            \(counted(forecast.thumbnails, "thumbnail"))
            """,
        ]
        switch forecast.basis {
        case .earlierRuns:
            lines.append(
                """
                about \(counted(forecast.requests, "request")), \
                \(ProgressReport.megabytes(forecast.bytesFetched)), \
                \(ProgressReport.clock(.seconds(forecast.seconds.rounded(.up)))), as in earlier runs
                """)
        case .storedOriginals:
            lines.append(
                """
                about \(ProgressReport.megabytes(forecast.bytesFetched)), by the stored originals
                """)
        case .nothing: break
        }
        return (lines + stale(forecast.stalePages)).joined(separator: "\n")
    }

    static func interrupted(_ snapshot: WarmMonitor.Snapshot) -> String {
        let total = snapshot.total.map { " of \($0)" } ?? ""
        return
            "Interrupted after \(snapshot.summary.items)\(total) items; finished pictures are stored. "
            + "Repeat the command to continue."
    }

    private static func stale(_ pages: [StalePage]) -> [String] {
        pages.map { page in
            "stale: \(page.page) is from \(page.fetchedAt.ISO8601Format()), because its source can't "
                + "be read; newer items are missing"
        }
    }

    private static func counted(_ count: Int, _ noun: String) -> String {
        ProgressReport.counted(count, noun)
    }

    private static func decimal(_ value: Double) -> String { ProgressReport.decimal(value) }

    private static func hundredths(_ value: Double) -> String {
        let all = Int((value * 100).rounded())
        return "\(all / 100).\(all % 100 < 10 ? "0" : "")\(all % 100)"
    }
}
