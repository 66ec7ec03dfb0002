/// Prometheus' text exposition format, version 0.0.4.
enum MetricText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Returns the text in UTF-8.
    static func of(_ samples: [MetricSample]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(32 << 10)
        let families = Dictionary(grouping: samples, by: \.name).sorted { $0.key < $1.key }
        for (name, samples) in families {
            if let help = MetricHelp.texts[name] { text.add("# HELP ", name, " ", help, "\n") }
            text.add("# TYPE ", name, " ", samples[0].kind.rawValue, "\n")
            for sample in samples.sorted(by: { $0.labels.lexicographicallyPrecedes($1.labels) }) {
                add(sample, to: &text)
            }
        }
        return text
    }

    private static func add(_ sample: MetricSample, to text: inout [UInt8]) {
        let labels = list(sample.labels)
        func line(_ suffix: String, _ value: Double) {
            text.add(sample.name, suffix)
            if !labels.isEmpty { text.add("{", labels, "}") }
            text.add(" ", number(value), "\n")
        }
        switch sample.value {
        case .number(let value): line("", value)
        case .histogram(let buckets, let count, let sum):
            let start = sample.name + "_bucket{" + labels + (labels.isEmpty ? "" : ",") + "le=\""
            for bucket in buckets {
                text.add(start, number(bucket.bound), "\"} ", "\(bucket.count)", "\n")
            }
            text.add(start, "+Inf\"} ", "\(count)", "\n")
            line("_sum", sum)
            line("_count", Double(count))
        }
    }

    private static func list(_ labels: [MetricSample.Label]) -> String {
        labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",")
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if value == value.rounded(), abs(value) < 1e15 { return "\(Int(value))" }
        return "\(value)"
    }

    private static func escaped(_ value: String) -> String {
        let isSpecial = { (byte: UInt8) in
            byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n")
        }
        guard value.utf8.contains(where: isSpecial) else { return value }
        return value.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension [UInt8] {
    fileprivate mutating func add(_ parts: String...) {
        for part in parts { append(contentsOf: part.utf8) }
    }
}
