/// An empty cache is filled.
///
/// Each round also measures the two stages alone: fetching the same pictures, and rendering the same
/// thumbnails from local files. How much of the shorter stage disappears behind the longer one is the
/// overlap.
struct WarmCase: BenchCase {
    let head: BenchRow.Head
    let work: WarmWork

    func round(_ number: Int) async throws -> BenchSample {
        let fetch = try await work.fetchAlone()
        let render = try await work.withDirectory("thumbs") { try await work.renderAlone($0) }
        let (end, summary) = try await work.withDirectory("cache") { try await work.warm($0) }
        return Self.sample(
            pictures: work.urls.count, fetch: fetch, render: render, end, summary)
    }

    /// - Parameters:
    ///   - fetch: seconds of the download alone.
    ///   - render: seconds of rendering alone.
    static func sample(
        pictures: Int, fetch: Double, render: Double, _ end: MeasuredProgram.End,
        _ summary: WarmWork.Summary
    ) -> BenchSample {
        let items = Double(max(1, pictures))
        let overlap = StageOverlap(first: fetch, second: render, together: end.wall)
        // Their type is written out: the compiler takes minutes to find it.
        let values: [(BenchQuantity, Double)] = [
            (.rate("pictures/s"), items / end.wall),
            (.processorTime("ms/picture"), end.processor / items * 1e3),
            (.wallTime, end.wall),
            (.stage("fetch alone", "s"), fetch),
            (.stage("render alone", "s"), render),
            (
                BenchQuantity(name: "overlap", unit: "% of the shorter stage", better: .more),
                overlap.share * 100
            ),
            (.stageShare("fetch"), fetch / end.wall * 100),
            (.stageShare("render"), render / end.wall * 100),
            (
                BenchQuantity(name: "downloads", unit: "", better: .less),
                Double(summary.originals)
            ),
        ]
        var sample = BenchSample(values)
        if let peak = end.peakMemory { sample.add(.peakMemory, Double(peak) / 1e6) }
        sample.expect(
            summary.items == pictures,
            "\(summary.items) items were warmed; expected \(pictures).")
        sample.expect(
            summary.failed + summary.placeholders == 0, "\(summary.failed) items failed.")
        sample.expect(
            summary.originals == pictures,
            "\(summary.originals) originals were downloaded for \(pictures) pictures.")
        return sample
    }
}

/// A full cache is warmed again, which must fetch and render nothing.
struct WarmAgainCase: BenchCase {
    let head: BenchRow.Head
    let work: WarmWork

    func round(_ number: Int) async throws -> BenchSample {
        try await work.withDirectory("cache") { cache in
            _ = try await work.warm(cache)
            let (end, summary) = try await work.warm(cache)
            return Self.sample(pictures: work.urls.count, end, summary)
        }
    }

    static func sample(
        pictures: Int, _ end: MeasuredProgram.End, _ summary: WarmWork.Summary
    ) -> BenchSample {
        let items = Double(max(1, pictures))
        var sample = BenchSample([
            (.rate("pictures/s"), items / end.wall),
            (.processorTime("ms/picture"), end.processor / items * 1e3),
            (.wallTime, end.wall),
            (
                BenchQuantity(name: "downloads", unit: "", better: .less),
                Double(summary.originals)
            ),
        ])
        sample.expect(
            summary.originals + summary.thumbnails == 0,
            "A full cache fetched \(summary.originals) originals and rendered "
                + "\(summary.thumbnails) thumbnails again.")
        return sample
    }
}

/// How far two stages ran at the same time. Pure; times are seconds.
struct StageOverlap: Sendable, Equatable {
    let first: Double
    let second: Double
    let together: Double

    /// Part of the shorter stage that the longer one hid: 1 if the work took as long as the longer
    /// stage alone, 0 if it took as long as both in a row. Other costs of the work lower it.
    var share: Double {
        let shorter = min(first, second)
        guard shorter > 0 else { return 0 }
        return min(1, max(0, (first + second - together) / shorter))
    }
}

extension BenchQuantity {
    /// Time of a stage alone as a share of the whole: the stage that is near 100 bounds it.
    static func stageShare(_ name: String) -> Self {
        Self(name: "\(name) of wall time", unit: "%", better: nil, isWall: true)
    }
}

extension BenchSample {
    mutating func add(_ quantity: BenchQuantity, _ value: Double) {
        values.append((quantity: quantity, value: value))
    }

    /// Counts an error with this sentence unless the condition holds.
    mutating func expect(_ holds: Bool, _ sentence: String) {
        guard !holds else { return }
        errors += 1
        firstError = firstError ?? sentence
    }
}
