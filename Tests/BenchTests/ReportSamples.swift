import ArgumentParser

@testable import App
@testable import vitrine_bench

/// Reports made up for tests.
enum ReportSamples {
    static func row(
        _ what: [String], _ figures: [(BenchQuantity, [Double?])],
        subject: BenchSubject = .thumbnails, peer: String? = nil, others: [Double?] = []
    ) -> BenchRow {
        let name = what.first { $0.hasPrefix("peer=") }?.dropFirst(5)
        var row = BenchRow(
            head: BenchRow.Head(
                subject, what.filter { !$0.hasPrefix("peer=") }, what.joined(separator: " "),
                peer: peer.map { (name.map(String.init) ?? "x", $0) }),
            figures: figures.map { BenchFigure($0.0, $0.1) }, others: others)
        row.head.labels.append(BenchSetting("levels", "five JPEG levels"))
        return row
    }

    static func report(_ rows: [BenchRow]) -> BenchReport {
        let load = BenchLoad(averages: [0.1, 0.2, 0.3], clock: 1)
        return BenchReport(
            started: "2026-11-22T02:16:42Z", seconds: 12.5, version: "0.1.0",
            arguments: ["thumbnails"],
            machine: BenchMachine(
                processor: "A CPU", cores: 2, memory: 8 << 30, kernel: "6.1",
                architecture: "x86_64", system: "A system", governor: "performance",
                libraries: [BenchSetting("libvips", "8.14.1")]),
            settings: [BenchSetting("levels", "m=320x480")], seed: 1, rounds: 3, before: load,
            after: load, warnings: [], notes: [], rows: rows)
    }
}

extension BenchContext {
    /// Default options and settings, with this scratch directory.
    static func sample(_ scratch: String) throws -> BenchContext {
        BenchContext(
            options: try BenchOptions.parse([]), name: "default", settings: Settings(),
            settingArguments: [], scratch: scratch, vitrine: "vitrine")
    }
}
