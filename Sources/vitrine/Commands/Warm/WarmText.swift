import FoundationEssentials
import Pipeline

/// The sentences of a warm run for people. Pure.
enum WarmText {
    static func summary(
        _ summary: WarmSummary, _ usage: WarmUsage?, _ pins: PinReceipt? = nil
    ) -> String {
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
        if !summary.repeats.isEmpty { lines.append(repeated(summary.repeats)) }
        if summary.evicted > 0 { lines.append(evicted(summary)) }
        if let pins { lines.append(pinned(pins)) }
        lines.append(
            "took \(decimal(summary.seconds)) s" + (usage.map { bounds(summary, $0) } ?? ""))
        if let forecast = summary.forecast { lines.append(comparison(forecast, summary)) }
        lines += stale(summary.stalePages)
        return lines.joined(separator: "\n")
    }

    /// The sentence about a run whose items don't all fit. It is shown before most of them begin.
    static func shortage(_ shortage: WarmShortage) -> String {
        let isOfFiles = shortage.bytes <= shortage.freeBytes
        let (needed, free, limit) =
            isOfFiles
            ? (counted(shortage.files, "file"), "\(shortage.freeFiles)", "cache.maxFiles")
            : (
                ProgressReport.megabytes(shortage.bytes),
                ProgressReport.megabytes(shortage.freeBytes), "cache.budget"
            )
        let takes = """
            \(counted(shortage.items, "item")) that are not stored take about \(needed), by the first \
            pictures of this run; \(free) of \(limit) are free.
            """
        let result =
            shortage.replacesOlder
            ? "Older pictures are evicted for them."
            : """
            The run ends when the cache begins to evict its pictures; raise \(limit), or warm fewer \
            items or levels.
            """
        return "\(takes) \(result)"
    }

    static func declined(_ summary: WarmSummary) -> String {
        "Ended after \(summary.items) items, as you answered; finished pictures are stored."
    }

    private static func repeated(_ repeats: [String: Int]) -> String {
        let reasons = repeats.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\($0.value) after \($0.key)" }
        let count = counted(repeats.values.reduce(0, +), "request")
        return "\(count) repeated: \(reasons.joined(separator: ", "))"
    }

    private static func evicted(_ summary: WarmSummary) -> String {
        let left = summary.left > 0 ? "; \(counted(summary.left, "item")) did not begin" : ""
        return """
            evicted: \(summary.evicted) of this run, because the cache is full\(left). Raise \
            cache.budget or cache.maxFiles, or warm fewer items or levels.
            """
    }

    private static func pinned(_ pins: PinReceipt) -> String {
        let line = "pinned: \(pins.pinned), and \(pins.known) were before"
        if pins.refused.isEmpty { return line }
        return """
            \(line); \(counted(pins.refused.count, "item")) did not fit into cache.maxPinned \
            (\(ProgressReport.megabytes(pins.limit)))
            """
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
