/// Prometheus' text exposition format, version 0.0.4.
enum MetricText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    static func of(_ samples: [MetricSample]) -> String {
        var text = ""
        let families = Dictionary(grouping: samples, by: \.name).sorted { $0.key < $1.key }
        for (name, samples) in families {
            if let help = MetricHelp.texts[name] { text += "# HELP \(name) \(help)\n" }
            text += "# TYPE \(name) \(samples[0].kind.rawValue)\n"
            for sample in samples.sorted(by: { $0.labels.lexicographicallyPrecedes($1.labels) }) {
                text += lines(sample)
            }
        }
        return text
    }

    private static func lines(_ sample: MetricSample) -> String {
        switch sample.value {
        case .number(let value):
            return line(sample.name, sample.labels, value)
        case .histogram(let buckets, let count, let sum):
            let bounds = buckets.map { (number($0.bound), $0.count) } + [("+Inf", count)]
            let text = bounds.map { bound, count in
                let labels = sample.labels + [MetricSample.Label(name: "le", value: bound)]
                return line("\(sample.name)_bucket", labels, Double(count))
            }
            return text.joined() + line("\(sample.name)_sum", sample.labels, sum)
                + line("\(sample.name)_count", sample.labels, Double(count))
        }
    }

    private static func line(_ name: String, _ labels: [MetricSample.Label], _ value: Double)
        -> String
    {
        let list = labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",")
        return "\(name)\(list.isEmpty ? "" : "{\(list)}") \(number(value))\n"
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if value == value.rounded(), abs(value) < 1e15 { return "\(Int(value))" }
        return "\(value)"
    }

    private static func escaped(_ value: String) -> String {
        value.reduce(into: "") { text, character in
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.append(character)
            }
        }
    }
}
