import Pipeline

/// The live display of a run: lines from a state and a width. Pure.
struct WarmDisplay: Sendable {
    /// Part of a line with its color, if it has one.
    private struct Part {
        var text: String
        /// Parts with a higher rank are omitted earlier.
        var rank = 0
        var color: Color?
    }

    private enum Color: String {
        case red = "31"
        case green = "32"
    }

    /// Amounts at one moment, from which rates follow.
    private struct Sample {
        var seconds: Double
        var bytes: Int
        var done: [String: Int]
    }

    /// Rates are means of this time, so that they are calm.
    private static let window = 5.0

    let title: String
    let hasColors: Bool
    private var samples: [Sample] = []

    init(title: String, hasColors: Bool) {
        self.title = title
        self.hasColors = hasColors
    }

    /// Takes a new state. States come in their order.
    mutating func add(_ snapshot: WarmMonitor.Snapshot) {
        let seconds = snapshot.summary.seconds
        samples.removeAll { $0.seconds < seconds - Self.window }
        var done = Dictionary(uniqueKeysWithValues: snapshot.stages.map { ($0.name, $0.done) })
        done["items"] = snapshot.summary.items
        samples.append(
            Sample(
                seconds: seconds, bytes: snapshot.summary.bytesFetched, done: done))
    }

    /// Returns the lines for the state that was added last, none longer than `width` columns. There
    /// are as many for every state, so that the display doesn't jump.
    func lines(_ snapshot: WarmMonitor.Snapshot, width: Int) -> [String] {
        [
            line([Part(text: title)], width), bar(snapshot, width), stages(snapshot, width),
            counts(snapshot, width), hosts(snapshot, width),
        ]
    }

    private func bar(_ snapshot: WarmMonitor.Snapshot, _ width: Int) -> String {
        let summary = snapshot.summary
        let elapsed = ProgressReport.clock(.seconds(summary.seconds))
        guard let total = snapshot.total else {
            return line(
                [
                    Part(text: "\(summary.items) of \(snapshot.listed)+ items"),
                    Part(text: elapsed, rank: 1),
                    Part(text: "reading the list", rank: 2),
                ], width)
        }
        let share = total > 0 ? Double(min(summary.items, total)) / Double(total) : 1
        // Rounded down, so that 100 % means done.
        var tail = "\(Int(share * 100)) %  \(summary.items)/\(total)  \(elapsed)"
        if let rate = rate("items"), rate > 0, total > summary.items {
            let left = (Double(total - summary.items) / rate).rounded(.up)
            tail += "  ETA \(ProgressReport.clock(.seconds(left)))"
        }
        let cells = min(60, width - tail.count - 4)
        guard cells >= 10 else { return line([Part(text: tail)], width) }
        let filled = Int(share * Double(cells))
        let full = color(String(repeating: "#", count: filled), .green)
        return "[\(full)\(String(repeating: "-", count: cells - filled))]  \(tail)"
    }

    /// The queue and the rate of each stage.
    private func stages(_ snapshot: WarmMonitor.Snapshot, _ width: Int) -> String {
        var parts = [Part(text: "list \(snapshot.waiting)", rank: 4)]
        let ranks = ["resolve": 3, "fetch": 0, "render": 1, "store": 2]
        for stage in snapshot.stages {
            let pace = rate(stage.name).map { " \(ProgressReport.decimal($0))/s" } ?? ""
            parts.append(
                Part(text: "\(stage.name) \(stage.inside)\(pace)", rank: ranks[stage.name] ?? 5))
        }
        return line(parts, width)
    }

    private func counts(_ snapshot: WarmMonitor.Snapshot, _ width: Int) -> String {
        let summary = snapshot.summary
        let all = summary.reused + summary.thumbnails
        let hits = all > 0 ? summary.reused * 100 / all : 0
        let pace = bytesPerSecond.map { "\(ProgressReport.megabytes(Int($0)))/s" } ?? "0.0 MB/s"
        return line(
            [
                Part(text: pace, rank: 2),
                Part(text: ProgressReport.megabytes(summary.bytesFetched), rank: 5),
                Part(text: "\(hits) % hits", rank: 3),
                Part(text: ProgressReport.counted(summary.fallbacks, "fallback"), rank: 4),
                Part(text: ProgressReport.counted(summary.placeholders, "placeholder"), rank: 1),
                Part(
                    text: "\(summary.failed) failed", rank: 0,
                    color: summary.failed > 0 ? .red : nil),
            ], width)
    }

    private func hosts(_ snapshot: WarmMonitor.Snapshot, _ width: Int) -> String {
        let slowest = snapshot.hosts.filter { $0.value.requests > 0 }
            .map { (name: $0.key, seconds: $0.value.seconds / Double($0.value.requests)) }
            .max { ($0.seconds, $1.name) < ($1.seconds, $0.name) }
        guard let slowest else { return "no request yet" }
        let time = Int((slowest.seconds * 1_000).rounded())
        return line(
            [
                Part(text: "slowest host \(slowest.name)"),
                Part(text: "\(time) ms a request", rank: 1),
            ], width)
    }

    /// Joins the parts that fit.
    private func line(_ parts: [Part], _ width: Int) -> String {
        var parts = parts
        func length() -> Int { parts.reduce(-2) { $0 + $1.text.count + 2 } }
        while length() > width, parts.count > 1,
            let least = parts.indices.max(by: { parts[$0].rank < parts[$1].rank })
        {
            parts.remove(at: least)
        }
        if parts.count == 1 { parts[0].text = String(parts[0].text.prefix(width)) }
        return parts.map { part in
            part.color.map { color(part.text, $0) } ?? part.text
        }.joined(separator: "  ")
    }

    private func color(_ text: String, _ color: Color) -> String {
        // ECMA-48 SGR; 0 resets.
        hasColors && !text.isEmpty ? "\u{1b}[\(color.rawValue)m\(text)\u{1b}[0m" : text
    }

    /// The rate of a stage or of the items; nil until time has passed.
    private func rate(_ name: String) -> Double? {
        guard let first = samples.first, let last = samples.last, last.seconds > first.seconds
        else { return nil }
        let done = (last.done[name] ?? 0) - (first.done[name] ?? 0)
        return Double(done) / (last.seconds - first.seconds)
    }

    private var bytesPerSecond: Double? {
        guard let first = samples.first, let last = samples.last, last.seconds > first.seconds
        else { return nil }
        return Double(last.bytes - first.bytes) / (last.seconds - first.seconds)
    }
}
