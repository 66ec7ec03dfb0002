/// Writes Prometheus' text exposition format, version 0.0.4.
///
/// Each name is written once. Values of labels are in the order of the labels.
package struct MetricText: Sendable {
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private var metrics: [(name: String, text: [UInt8])] = []

    package init() {}

    /// The metrics by name, in UTF-8.
    package var bytes: [UInt8] { metrics.sorted { $0.name < $1.name }.flatMap(\.text) }

    package mutating func gauge(_ name: String, _ help: String, _ value: Double) {
        add(name, help, "gauge", [], [[]: value]) { $0.line(name, $1, $2) }
    }

    package mutating func gauge(_ name: String, _ help: String, _ value: Int) {
        gauge(name, help, Double(value))
    }

    package mutating func gauges(
        _ name: String, _ help: String, by labels: [String], _ values: [[String]: Int]
    ) {
        add(name, help, "gauge", labels, values) { $0.line(name, $1, Double($2)) }
    }

    package mutating func counter(_ name: String, _ help: String, _ value: Double) {
        add(name, help, "counter", [], [[]: value]) { $0.line(name, $1, $2) }
    }

    package mutating func counter(_ name: String, _ help: String, _ value: Int) {
        counter(name, help, Double(value))
    }

    package mutating func counters(
        _ name: String, _ help: String, by labels: [String], _ values: [[String]: Int]
    ) {
        add(name, help, "counter", labels, values) { $0.line(name, $1, Double($2)) }
    }

    package mutating func histograms(
        _ name: String, _ help: String, by labels: [String], _ values: [[String]: Histogram.Counts]
    ) {
        add(name, help, "histogram", labels, values) { text, labels, counts in
            let start = "\(name)_bucket{\(labels)\(labels.isEmpty ? "" : ",")le=\""
            var total = 0
            for (bound, count) in zip(Histogram.bounds, counts.buckets) {
                total += count
                text.add(start, MetricText.number(bound), "\"} ", "\(total)", "\n")
            }
            total += counts.buckets[Histogram.bounds.count]
            text.add(start, "+Inf\"} ", "\(total)", "\n")
            text.line(name + "_sum", labels, counts.sum)
            text.line(name + "_count", labels, Double(total))
        }
    }

    /// - Parameter write: writes the lines of one series, with its labels as `name="value",…`.
    private mutating func add<Value>(
        _ name: String, _ help: String, _ kind: String, _ labels: [String],
        _ values: [[String]: Value],
        _ write: (_ text: inout [UInt8], _ labels: String, Value) -> Void
    ) {
        guard !values.isEmpty else { return }
        var text: [UInt8] = []
        text.add("# HELP ", name, " ", help, "\n# TYPE ", name, " ", kind, "\n")
        for (texts, value) in values.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let list = zip(labels, texts).map { "\($0)=\"\(Self.escaped($1))\"" }
            write(&text, list.joined(separator: ","), value)
        }
        metrics.append((name, text))
    }

    fileprivate static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
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

    fileprivate mutating func line(_ name: String, _ labels: String, _ value: Double) {
        add(name, labels.isEmpty ? "" : "{\(labels)}", " ", MetricText.number(value), "\n")
    }
}
