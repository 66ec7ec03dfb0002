/// What a measured renderer says of itself at the end, as one JSON object on standard output. The
/// program that a peer library runs in says the same.
struct RenderOutcome: Sendable, Equatable, Codable {
    var images: Int
    /// Seconds from the first picture to the last, without the start of the process.
    var wall: Double
    /// User and system time over the same span, in seconds.
    var processor: Double
    /// Of all thumbnails.
    var bytes: Int
    /// Largest resident set of the process, in bytes.
    var peakMemory: Int
    var faults: Int?
    var majorFaults: Int?
    var errors: Int
    var firstError: String?
    /// SHA-256 over all thumbnails, in the order of the pictures.
    var digest: String?
    /// Seconds per stage, all pictures together.
    var stages: [Stage]?

    struct Stage: Sendable, Equatable, Codable {
        var name: String
        var seconds: Double
    }

    /// The figures of a row, per picture.
    var sample: BenchSample {
        let count = Double(max(1, images))
        var values: [(BenchQuantity, Double)] = [
            (.rate("images/s"), wall > 0 ? Double(images) / wall : 0),
            (.processorTime("ms/image"), processor * 1_000 / count),
            (.peakMemory, Double(peakMemory) / 1_000_000),
            (.bytesOut("KB/image"), Double(bytes) / 1_000 / count),
        ]
        if let faults { values.append((.pageFaults("/image"), Double(faults) / count)) }
        if let majorFaults { values.append((.diskFaults("/image"), Double(majorFaults) / count)) }
        for stage in stages ?? [] {
            values.append((.stage(stage.name, "ms/image"), stage.seconds * 1_000 / count))
        }
        return BenchSample(values, errors: errors, firstError: firstError, digest: digest)
    }
}
