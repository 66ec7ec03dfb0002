import Console
import Pipeline

/// The live display of a run: lines from a state and a width. Pure.
struct WarmDisplay: Sendable {
    /// Rates are means of so many seconds, so that they are calm.
    private static let window = 5.0

    /// What is warmed, for people.
    let title: String
    let hasColors: Bool
    /// Whether lines about stages, amounts and hosts follow the first one.
    let isVerbose: Bool
    private var items = RecentRate(window: window)
    private var bytes = RecentRate(window: window)
    private var stages: [WarmStage.Name: RecentRate] = [:]

    init(title: String, hasColors: Bool, isVerbose: Bool = false) {
        self.title = title
        self.hasColors = hasColors
        self.isVerbose = isVerbose
    }

    /// Takes a new state. States come in their order.
    mutating func add(_ snapshot: WarmProgress) {
        let seconds = snapshot.summary.seconds
        items.add(snapshot.summary.items, at: seconds)
        bytes.add(snapshot.summary.bytesFetched, at: seconds)
        for stage in snapshot.stages {
            stages[stage.name, default: RecentRate(window: Self.window)].add(
                stage.done, at: seconds)
        }
    }

    /// Returns the lines for the state that was added last, none longer than `width` columns. There
    /// are as many for every state, so that the display doesn't jump.
    func lines(_ snapshot: WarmProgress, width: Int) -> [String] {
        let progress = progress(snapshot, width)
        guard isVerbose else { return [progress] }
        return [
            progress, stages(snapshot, width), counts(snapshot, width), hosts(snapshot, width),
        ]
    }

    /// `TV shows  ████████████░░░░  217/300  9.7/s  0:09`: what, how much, how fast, and the time left.
    private func progress(_ snapshot: WarmProgress, _ width: Int) -> String {
        let summary = snapshot.summary
        let title = LinePart(text: Self.shortened(title), rank: 4)
        let pace = items.perSecond.map {
            LinePart(text: "\(ReadableText.decimal($0))/s", rank: 3)
        }
        let failed =
            summary.failed > 0
            ? LinePart(text: "\(summary.failed) failed", rank: 1, color: .red) : nil
        guard let total = snapshot.total else {
            let parts = [
                title, LinePart(text: "\(summary.items) of \(snapshot.listed)+"), pace,
                LinePart(text: "reading the list", rank: 5), failed,
            ]
            return line(parts.compactMap(\.self), width)
        }
        var time: LinePart?
        if let rate = items.perSecond, rate > 0, total > summary.items {
            let left = (Double(total - summary.items) / rate).rounded(.up)
            time = LinePart(text: ReadableText.clock(.seconds(left)), rank: 2)
        }
        let parts = [title, LinePart(text: "\(summary.items)/\(total)"), pace, time, failed]
            .compactMap(\.self)
        let length = parts.reduce(-2) { $0 + $1.text.count + 2 }
        let cells = min(Self.mostCells, width - length - 2)
        guard cells >= Self.fewestCells else { return line(parts, width) }
        let share = total > 0 ? Double(min(summary.items, total)) / Double(total) : 1
        // Rounded down, so that a full bar means done.
        let filled = Int(share * Double(cells))
        let bar =
            TextColor.green.paint(String(repeating: "█", count: filled), if: hasColors)
            + String(repeating: "░", count: cells - filled)
        return "\(title.text)  \(bar)  \(line(Array(parts.dropFirst()), width))"
    }

    private static let mostCells = 32
    private static let fewestCells = 8

    /// A title of any length, such as a search, leaves room for the rest.
    static func shortened(_ title: String) -> String {
        title.count <= 30 ? title : title.prefix(29) + "…"
    }

    /// The queue and the rate of each stage.
    private func stages(_ snapshot: WarmProgress, _ width: Int) -> String {
        var parts = [LinePart(text: "listed \(snapshot.waiting)", rank: 4)]
        let ranks: [WarmStage.Name: Int] = [.resolve: 3, .fetch: 0, .render: 1, .store: 2]
        for stage in snapshot.stages {
            let pace =
                stages[stage.name]?.perSecond.map { ", \(ReadableText.decimal($0))/s" } ?? ""
            parts.append(
                LinePart(
                    text: "\(stage.name.rawValue) \(stage.inside)\(pace)",
                    rank: ranks[stage.name] ?? 5))
        }
        return line(parts, width)
    }

    private func counts(_ snapshot: WarmProgress, _ width: Int) -> String {
        let summary = snapshot.summary
        let pace = Int(bytes.perSecond ?? 0)
        return line(
            [
                LinePart(text: ReadableText.clock(.seconds(summary.seconds))),
                LinePart(text: "\(ReadableText.megabytes(pace))/s", rank: 2),
                LinePart(text: ReadableText.megabytes(summary.bytesFetched), rank: 5),
                LinePart(text: "\(summary.reused) reused", rank: 3),
                LinePart(text: ReadableText.counted(summary.fallbacks, "fallback"), rank: 4),
                LinePart(
                    text: ReadableText.counted(summary.placeholders, "placeholder"), rank: 1),
            ], width)
    }

    private func hosts(_ snapshot: WarmProgress, _ width: Int) -> String {
        let slowest = snapshot.hosts.filter { $0.value.requests > 0 }
            .map { (name: $0.key, seconds: $0.value.seconds / Double($0.value.requests)) }
            .max { ($0.seconds, $1.name) < ($1.seconds, $0.name) }
        guard let slowest else { return line([LinePart(text: "no request yet")], width) }
        let time = Int((slowest.seconds * 1_000).rounded())
        return line(
            [
                LinePart(text: "slowest host \(slowest.name)"),
                LinePart(text: "\(time) ms a request", rank: 1),
            ], width)
    }

    private func line(_ parts: [LinePart], _ width: Int) -> String {
        LinePart.line(parts, width: width, hasColors: hasColors)
    }
}
