/// What one round of one case gave.
struct BenchSample: Sendable {
    /// The same quantities in every round, the headline first.
    var values: [(quantity: BenchQuantity, value: Double)]
    /// Latencies of this round; the runner adds them up.
    var latencies: LatencyHistogram?
    /// Parts of the work that failed.
    var errors = 0
    /// The first of them, as a sentence.
    var firstError: String?
    /// SHA-256 over all outputs. The runner counts a round with another digest as an error.
    var digest: String?

    init(
        _ values: [(BenchQuantity, Double)], latencies: LatencyHistogram? = nil, errors: Int = 0,
        firstError: String? = nil, digest: String? = nil
    ) {
        self.values = values.map { (quantity: $0.0, value: $0.1) }
        self.latencies = latencies
        self.errors = errors
        self.firstError = firstError
        self.digest = digest
    }

    /// What most rows have: things a second of wall time, and processor time for each.
    ///
    /// - Parameters:
    ///   - thing: what is counted, such as `image`.
    ///   - unit: in which the processor time of one is printed.
    ///   - wall: seconds.
    ///   - processor: seconds; nil if they can't be read.
    static func work(
        _ count: Int, of thing: String, in unit: TimeUnit, wall: Double, processor: Double?
    ) -> BenchSample {
        var sample = BenchSample([
            (.rate("\(thing)s/s"), wall > 0 ? Double(count) / wall : 0)
        ])
        if let processor {
            let each = processor / Double(max(1, count)) * unit.perSecond
            sample.add(.processorTime("\(unit.rawValue)/\(thing)"), each)
        }
        return sample
    }

    enum TimeUnit: String {
        case milliseconds = "ms"
        case microseconds = "µs"

        var perSecond: Double { self == .milliseconds ? 1e3 : 1e6 }
    }

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
