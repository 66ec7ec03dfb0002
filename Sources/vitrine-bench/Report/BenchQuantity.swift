/// A figure that a row is measured by.
struct BenchQuantity: Sendable, Hashable, Codable {
    enum Better: String, Sendable, Codable {
        case more, less
    }

    /// What is measured, for people: `rate`, `processor time`, `peak memory`.
    var name: String
    /// `images/s`, `ms/image`, `MB`.
    var unit: String
    /// Which direction is an improvement; nil for a figure that is neither good nor bad.
    var better: Better?
    /// Whether other programs on the machine change it. Wall time is, processor time hardly.
    var isWall = false

    /// Things per second of wall time: `rate("images/s")`.
    static func rate(_ unit: String) -> Self {
        Self(name: "rate", unit: unit, better: .more, isWall: true)
    }

    /// User and system time of all processes that took part: `processorTime("ms/image")`.
    static func processorTime(_ unit: String) -> Self {
        Self(name: "processor time", unit: unit, better: .less)
    }

    /// A percentile of the latency within one round, corrected for coordinated omission.
    static func latency(_ percentile: Double) -> Self {
        let digits =
            percentile == percentile.rounded() ? "\(Int(percentile))" : "\(percentile)"
        return Self(name: "p\(digits)", unit: "µs", better: .less, isWall: true)
    }

    /// Wall time of one round.
    static let wallTime = Self(name: "wall time", unit: "s", better: .less, isWall: true)
    /// The largest resident set of the measured process.
    static let peakMemory = Self(name: "peak memory", unit: "MB", better: .less)
    /// Resident memory of the server and its children after the round.
    static let memory = Self(name: "memory", unit: "MB", better: .less)
    /// Bytes that came out, for one of the things counted: `bytesOut("KB/image")`.
    static func bytesOut(_ unit: String) -> Self {
        Self(name: bytesOutName, unit: unit, better: .less)
    }
    static let bytesOutName = "bytes out"
    /// SSIMULACRA2 beside the same pixels without loss: 100 is the same, below 70 people see it.
    static let quality = Self(name: "quality", unit: "SSIMULACRA2", better: .more)
    /// What a whole core of the server answers: requests by its processor time.
    static let perCore = Self(name: "per core", unit: "requests/s", better: .more)
    /// Bytes of responses, heads included.
    static let transfer = Self(name: "transfer", unit: "MB/s", better: .more, isWall: true)
    /// Share of a processor that the generator needs; near 100 it is what bounds the rate.
    static let generator = Self(name: "generator", unit: "% of a core", better: nil)
    /// How late the generator itself was in 99 of 100 requests. It is part of the latency.
    static let lag = Self(name: "generator lag p99", unit: "µs", better: nil)
    /// Requests that were due and never sent, because all connections were busy.
    static let unsent = Self(name: "never sent", unit: "requests", better: .less, isWall: true)
    /// Resident memory of a server with its idle connections.
    static let server = Self(name: "server", unit: "MB", better: .less)
    static let downloads = Self(name: "downloads", unit: "", better: .less)
    /// Rate with n threads beside n times the rate with one.
    static let scaling = Self(
        name: "scaling efficiency", unit: "%", better: .more, isWall: true)

    /// How a column of it is headed.
    var header: String {
        switch name {
        case "rate", Self.bytesOutName: unit
        case "processor time": "CPU \(unit)"
        case "peak memory": "peak \(unit)"
        case "scaling efficiency": "scaling \(unit)"
        default: unit.isEmpty ? name : "\(name) \(unit)"
        }
    }
}
