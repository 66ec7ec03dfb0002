import Pipeline

/// Reports the duration of each stage of a miss in milliseconds (W3C Server Timing).
enum ServerTiming {
    static func field(_ timings: MissTimings) -> String? {
        let parts = [
            ("catalog", timings.catalog), ("fetch", timings.fetch), ("queue", timings.queue),
            ("render", timings.render), ("store", timings.store),
        ]
        let spent = parts.filter { $0.1 > .zero }
        guard !spent.isEmpty else { return nil }
        return spent.map { "\($0.0);dur=\(tenths($0.1))" }.joined(separator: ", ")
    }

    /// Formats milliseconds with one decimal, `12.3`.
    private static func tenths(_ duration: Duration) -> String {
        let parts = duration.components
        let tenths = parts.seconds * 10_000 + parts.attoseconds / 100_000_000_000_000
        return "\(tenths / 10).\(tenths % 10)"
    }
}
