import Console
import FoundationEssentials
import Pipeline

/// The sentences of a warm run for people. Pure.
enum WarmText {
    /// `TV shows  290 of 300  44.8 MB  29 s`: pictures, items, what was downloaded, and the time. Figures that
    /// would be zero are left out.
    ///
    /// - Parameter room: columns of the title.
    static func result(_ title: String, _ summary: WarmSummary, room: Int = 0) -> String {
        let title = TextTable.padded(WarmDisplay.shortened(title), to: room)
        let count = ReadableText.count
        let items = summary.items + summary.left
        var parts = [title, "\(count(pictures(summary))) of \(count(items))"]
        if summary.bytesFetched >= ProgressReport.leastBytes {
            parts.append(ReadableText.megabytes(summary.bytesFetched))
        }
        if summary.seconds >= leastSeconds {
            parts.append(ReadableText.duration(summary.seconds))
        }
        return parts.joined(separator: "  ")
    }

    /// Shorter ones would be 0.0 s.
    private static let leastSeconds = 0.05

    private static func pictures(_ summary: WarmSummary) -> Int {
        max(0, summary.items - summary.placeholders - summary.failed)
    }

    /// The lines after the result.
    ///
    /// - Parameter isVerbose: whether requests and the bounds of the time are told, too.
    static func details(
        _ summary: WarmSummary, _ usage: WarmUsage?, isVerbose: Bool = false
    ) -> [String] {
        let count = ReadableText.count
        func told(_ number: Int, _ what: (String) -> String) -> String? {
            number > 0 ? what(count(number)) : nil
        }
        var lines: [String] = []
        let thumbnails = [
            told(summary.thumbnails) { "\($0) made" },
            told(summary.reused) { "\($0) reused" },
        ].compactMap(\.self)
        if !thumbnails.isEmpty {
            lines.append("thumbnails: \(thumbnails.joined(separator: ", "))")
        }
        let others = [
            told(summary.fallbacks) { "\($0) not the first choice" },
            told(summary.placeholders) { "\($0) without a picture" },
            told(summary.failed) { "\($0) failed" },
        ].compactMap(\.self)
        if !others.isEmpty { lines.append("items: \(others.joined(separator: ", "))") }
        if summary.notTried > 0 { lines.append(notTried(summary.notTried)) }
        if isVerbose {
            lines.append(
                """
                originals: \(count(summary.originals)), \
                \(ReadableText.megabytes(summary.bytesFetched)) in \
                \(counted(summary.requests, "request"))
                """)
        }
        if !summary.repeats.isEmpty { lines.append(repeated(summary.repeats)) }
        if summary.evicted > 0 { lines.append(evicted(summary)) }
        if let pins = summary.pins { lines.append(pinned(pins)) }
        lines += workers(summary)
        if let forecast = summary.forecast { lines.append(comparison(forecast, summary)) }
        if isVerbose, let usage {
            lines.append("took \(decimal(summary.seconds)) s\(bounds(summary, usage))")
        }
        lines += stale(summary.stalePages)
        lines.append(conclusion(summary, usage))
        return lines
    }

    /// `5,000 pictures in 9 min 50 s; the network took most of it.`
    private static func conclusion(_ summary: WarmSummary, _ usage: WarmUsage?) -> String {
        let pictures = pictures(summary)
        let noun = pictures == 1 ? "picture" : "pictures"
        let sum = "\(ReadableText.count(pictures)) \(noun)"
        guard summary.seconds >= leastSeconds else { return "\(sum)." }
        let took = "\(sum) in \(ReadableText.duration(summary.seconds))"
        let work = usage?.seconds ?? 0
        // In a run of a second the start takes most.
        guard summary.seconds > 1, max(work, summary.networkSeconds) > summary.seconds / 2 else {
            return "\(took)."
        }
        let reason = work > summary.networkSeconds ? "rendering" : "the network"
        return "\(took); \(reason) took most of it."
    }

    /// The sentence about a run whose items don't all fit. It is shown before the first of them begins, or
    /// before most do.
    static func shortage(_ shortage: WarmShortage) -> String {
        let isOfFiles = shortage.bytes <= shortage.freeBytes
        let (needed, free, limit) =
            isOfFiles
            ? (counted(shortage.files, "file"), "\(shortage.freeFiles)", "cache.maxFiles")
            : (
                ReadableText.megabytes(shortage.bytes),
                ReadableText.megabytes(shortage.freeBytes), "cache.budget"
            )
        let basis =
            switch shortage.basis {
            case .stored: "the stored pictures"
            case .firstPictures: "the first pictures of this run"
            }
        let takes = """
            \(counted(shortage.items, "item")) that are not stored take about \(needed), by \(basis); \
            \(free) of \(limit) are free.
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

    private static func notTried(_ items: Int) -> String {
        let (noun, verb, pronoun) = items == 1 ? ("item", "was", "it") : ("items", "were", "them")
        return """
            not tried again: \(ReadableText.count(items)) \(noun) that \(verb) without a picture \
            before, because that is still remembered; --retry-placeholders tries \(pronoun)
            """
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
            \(line); \(counted(pins.refused.count, "item")) did not fit into the half of \
            cache.budget that pins may take (\(ReadableText.megabytes(pins.limit)))
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
        let bytes =
            forecast.bytesFetched > 0 ? ", \(ReadableText.megabytes(forecast.bytesFetched))" : ""
        return """
            the dry run expected \(counted(forecast.originals, "original"))\(bytes), \
            \(counted(forecast.requests, "request"))
            """
    }

    static func forecast(_ forecast: WarmForecast) -> String {
        var lines = rows(forecast)
        lines += [
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
        case .sample:
            lines.append(
                """
                about \(ReadableText.megabytes(forecast.bytesFetched)) in \
                \(counted(forecast.requests, "request"))
                """)
        case .storedOriginals:
            lines.append(
                """
                about \(ReadableText.megabytes(forecast.bytesFetched)), by the stored originals
                """)
        case .nothing: break
        }
        if forecast.seconds > 0 {
            let least = ReadableText.clock(.seconds(forecast.seconds.rounded(.up)))
            lines.append("at least \(least), by the rate alone")
        }
        if let sample = forecast.sample { lines.append(sampled(sample)) }
        if forecast.freeBytes < .max { lines.append(room(forecast)) }
        lines += parts(forecast)
        if let smaller = forecast.smaller {
            lines.append(
                """
                fewer levels or formats take less: without \(smaller.without) about \
                \(ReadableText.megabytes(smaller.bytes))
                """)
        }
        return (lines + stale(forecast.stalePages)).joined(separator: "\n")
    }

    /// A line for the originals and for each level: `  xs  webp 10.1 MB  jpeg 14.0 MB`.
    private static func parts(_ forecast: WarmForecast) -> [String] {
        guard let parts = forecast.parts, parts.count > 1 else { return [] }
        var rows: [[String]] = []
        for part in parts {
            let size = ReadableText.megabytes(part.bytes)
            guard let level = part.level, let format = part.format else {
                rows.append(["  originals", size])
                continue
            }
            if rows.last?.first != "  \(level)" { rows.append(["  \(level)"]) }
            rows[rows.count - 1].append("\(format) \(size)")
        }
        return TextTable(rows: rows).lines
    }

    /// `5,000 rows: 120 repeat an earlier one, 10 can't be read`
    private static func rows(_ forecast: WarmForecast) -> [String] {
        guard let rows = forecast.rows else { return [] }
        let (doubles, refused) = (forecast.doubles ?? 0, forecast.refused ?? 0)
        let parts = [
            doubles > 0
                ? "\(ReadableText.count(doubles)) \(doubles == 1 ? "repeats" : "repeat") an earlier one"
                : nil,
            refused > 0 ? "\(ReadableText.count(refused)) can't be read" : nil,
        ].compactMap(\.self)
        let all = counted(rows, "row")
        return [parts.isEmpty ? all : "\(all): \(parts.joined(separator: ", "))"]
    }

    /// `asked the origins of 20 pictures: 17 reported a size, 2 have no picture, 1 did not answer`
    private static func sampled(_ sample: WarmSample) -> String {
        let silent = sample.asked - sample.sized - sample.absent
        let parts = [
            "\(sample.sized) reported a size",
            sample.absent > 0
                ? "\(sample.absent) \(sample.absent == 1 ? "has" : "have") no picture" : nil,
            silent > 0 ? "\(silent) did not" : nil,
        ].compactMap(\.self)
        let asked = """
            asked the origins of \(counted(sample.asked, "picture")), by HEAD or for the first \
            kilobyte: \(parts.joined(separator: ", "))
            """
        return sample.reason.map { "\(asked). Such as: \($0)" } ?? asked
    }

    /// `the result takes about 44.0 MB in 1,200 files; 210 MB of cache.budget and 9,000 of cache.maxFiles are free`
    private static func room(_ forecast: WarmForecast) -> String {
        let free = """
            \(ReadableText.megabytes(forecast.freeBytes)) of cache.budget and \
            \(counted(forecast.freeFiles, "file")) of cache.maxFiles are free
            """
        guard let bytes = forecast.bytesStored, let files = forecast.filesStored else {
            return "too little is stored to tell what the result takes; \(free)"
        }
        return """
            the result takes about \(ReadableText.megabytes(bytes)) in \(counted(files, "file")), \
            estimated from \(forecast.isUsual == true ? "typical sizes" : "the stored pictures"); \(free)
            """
    }

    /// What became of the items in the queue, and in the store.
    private static func workers(_ summary: WarmSummary) -> [String] {
        guard let listed = summary.listed else { return [] }
        let jobs = [
            summary.dead.flatMap { $0 > 0 ? "\(counted($0, "item")) given up" : nil },
            summary.retries.flatMap { $0 > 0 ? "\(counted($0, "job")) tried again" : nil },
        ].compactMap(\.self)
        let lines = jobs.isEmpty ? [] : ["workers: \(jobs.joined(separator: ", "))"]
        guard let missing = summary.missing else {
            return lines + [
                "The list can't be read again, so the store was not compared with it."
            ]
        }
        if missing == 0 {
            return lines + ["The shared store lacks nothing of \(counted(listed, "item"))."]
        }
        let named = summary.named ?? []
        let more = missing > named.count ? ", …" : ""
        return lines + [
            "The shared store lacks \(counted(missing, "item")): "
                + named.joined(separator: ", ") + more
        ]
    }

    static func queued(_ summary: WarmSummary) -> String {
        """
        \(counted(summary.listed ?? 0, "item")) queued. vitrine cluster status shows the workers; repeat \
        the command without --detach to wait for them.
        """
    }

    static func interrupted(_ snapshot: WarmProgress, isQueued: Bool) -> String {
        if isQueued {
            return """
                Interrupted. The workers go on with what is queued. Repeat the command to continue.
                """
        }
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
        ReadableText.counted(count, noun)
    }

    private static func decimal(_ value: Double) -> String { ReadableText.decimal(value) }

    private static func hundredths(_ value: Double) -> String {
        let all = Int((value * 100).rounded())
        return "\(all / 100).\(all % 100 < 10 ? "0" : "")\(all % 100)"
    }
}
