extension LoadOutcome {
    /// A sample with the latencies and the errors of this load.
    func sample(_ values: [(BenchQuantity, Double)]) -> BenchSample {
        BenchSample(values, latencies: latency, errors: errors, firstError: firstError)
    }

    /// The percentiles that were recorded.
    func percentiles(_ percentiles: [Double]) -> [(BenchQuantity, Double)] {
        let summary = latency.summary
        return percentiles.compactMap { percentile in
            summary?[percentile].map { (.latency(percentile), $0) }
        }
    }

    /// What the generator adds to an open loop.
    var lateness: [(BenchQuantity, Double)] {
        (lag.summary?[99].map { [(.lag, $0)] } ?? [])
            + (unsent > 0 ? [(.unsent, Double(unsent))] : [])
    }

    /// The figures of a row of ``ServeRow``.
    ///
    /// - Parameter spent: processor time of the server in seconds; nil if it can't be read.
    func sample(of row: ServeRow, spent: Double?) -> BenchSample {
        let requests = Double(max(1, responses))
        var values = row.pace == .closed ? [] : percentiles([99, 50, 99.9])
        values.append((.rate("requests/s"), rate))
        if let spent { values.append((.processorTime("µs/request"), spent / requests * 1e6)) }
        if row.pace != .closed {
            values += lateness
        } else {
            if row.showsTransfer, nanoseconds > 0 {
                values.append((.transfer, Double(bytes) / Double(nanoseconds) * 1e3))
            }
            if let spent, spent > 0 { values.append((.perCore, requests / spent)) }
        }
        values.append((.generator, generatorShare * 100))
        return sample(values)
    }
}

/// What `h2load` prints at its end. Pure.
struct H2LoadSummary: Equatable {
    var rate: Double
    /// Responses.
    var done: Int
    /// Requests without a good response.
    var failed: Int

    /// Nil if the text has no summary.
    init?(_ text: String) {
        var rate: Double?
        var counts: [String: Int] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split { $0 == " " || $0 == "," }
            if line.hasPrefix("finished in "), let unit = words.firstIndex(of: "req/s"), unit > 0 {
                rate = Double(words[unit - 1])
            } else if line.hasPrefix("requests:") || line.hasPrefix("status codes:") {
                // A number and then what it counts: "1234 succeeded, 0 failed".
                for (number, name) in zip(words, words.dropFirst()) {
                    if let count = Int(number) { counts[String(name)] = count }
                }
            }
        }
        guard let rate, let done = counts["done"], let good = counts["2xx"] else { return nil }
        self.rate = rate
        self.done = done
        failed = max(done - good, (counts["failed"] ?? 0) + (counts["timeout"] ?? 0))
    }
}

/// Width and height from the head of a JPEG (ITU-T T.81, annex B). Pure.
struct JPEGSize: Sendable, Equatable {
    var width: Int
    var height: Int

    /// Nil if the bytes are not a JPEG with a frame.
    init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: [0xff, 0xd8]) else { return nil }
        func number(at place: Int) -> Int { Int(bytes[place]) << 8 | Int(bytes[place + 1]) }
        var place = 2
        // A marker, two bytes of length, and for a frame: precision, height, width.
        while place + 9 <= bytes.count, bytes[place] == 0xff {
            let marker = bytes[place + 1]
            if (0xc0...0xcf).contains(marker), ![0xc4, 0xc8, 0xcc].contains(marker) {
                (height, width) = (number(at: place + 5), number(at: place + 7))
                return
            }
            place += 2 + number(at: place + 2)
        }
        return nil
    }
}

/// Prometheus text. Pure.
enum MetricLines {
    /// Returns the sum of a metric over all its labels; 0 if it isn't there.
    static func sum(of name: String, in text: String) -> Int {
        text.split(separator: "\n").filter { line in
            line.hasPrefix(name) && ["{", " "].contains(line.dropFirst(name.count).first)
        }.compactMap { line in line.split(separator: " ").last.flatMap { Double($0) } }
            .reduce(0) { $0 + Int($1) }
    }
}
