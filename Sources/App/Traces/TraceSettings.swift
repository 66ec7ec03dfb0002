import Catalog
import Foundation
import Hashing
import Traces

/// Where spans go, as the standard variables of OpenTelemetry say. This is the only reader of `OTEL_…`.
package struct TraceSettings: Sendable {
    /// The collector's URL for traces.
    var url: String
    /// Header fields of each message; values may be credentials.
    var headers: [(name: String, value: Secret)] = []
    /// Limit of one attempt to send a message.
    var timeout = Duration.seconds(10)
    /// PEM file of certificates that the collector's may be signed with; nil for those of origins.
    package var certificates: String?
    /// Attributes of this process, `service.name` among them.
    var resource: [String: SpanValue] = [:]
    var sampler = Sampler(share: 1, followsParent: true)
    /// Whether requests to origins carry `traceparent`.
    var tellsOrigins = false
    var limits = SpanQueue.Limits()

    /// Variables whose values may be credentials.
    static let secrets = ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"]

    /// Reads the variables. Returns nil if they name no collector, or switch traces off.
    ///
    /// - Parameter problems: gets a sentence for each value that can't be used.
    static func read(
        _ environment: [String: String], _ problems: inout [ConfigurationError]
    ) -> TraceSettings? {
        var reader = Reader(environment: environment)
        defer { problems += reader.problems }
        return reader.settings()
    }
}

/// Reads values, and collects those that can't be used.
private struct Reader {
    let environment: [String: String]
    var problems: [ConfigurationError] = []

    private static let samplers = [
        "always_on", "always_off", "traceidratio", "parentbased_always_on",
        "parentbased_always_off", "parentbased_traceidratio",
    ]
    private static let propagators = [
        "tracecontext", "baggage", "b3", "b3multi", "jaeger", "xray", "ottrace", "none",
    ]

    mutating func settings() -> TraceSettings? {
        guard text(names("ENDPOINT")) != nil else { return nil }
        let isOff = value(["OTEL_SDK_DISABLED"], "true or false") { Bool($0.lowercased()) } ?? false
        let exporter = choice("OTEL_TRACES_EXPORTER", ["otlp", "none"]) ?? "otlp"
        if isOff || exporter == "none" { return nil }
        guard let url = url() else { return nil }
        _ = value(names("PROTOCOL"), "http/json, the only form in which spans are sent") {
            $0 == "http/json" ? $0 : nil
        }
        var settings = TraceSettings(url: url)
        settings.headers = headers()
        let milliseconds = 1...600_000
        if let time = number(names("TIMEOUT"), milliseconds) {
            settings.timeout = .milliseconds(time)
        }
        settings.certificates = text(names("CERTIFICATE"))?.text
        settings.resource = resource()
        settings.sampler = sampler()
        settings.tellsOrigins =
            value(["OTEL_PROPAGATORS"], "a list of \(Self.propagators.joined(separator: ", "))") {
                let parts = Self.parts($0)
                return parts.allSatisfy(Self.propagators.contains)
                    ? parts.contains("tracecontext") : nil
            } ?? false
        limits(&settings.limits)
        return settings
    }

    private mutating func limits(_ limits: inout SpanQueue.Limits) {
        if let delay = number(["OTEL_BSP_SCHEDULE_DELAY"], 0...600_000) {
            limits.delay = .milliseconds(delay)
        }
        // A span takes about a kilobyte.
        limits.most = number(["OTEL_BSP_MAX_QUEUE_SIZE"], 1...100_000) ?? limits.most
        limits.batch = number(["OTEL_BSP_MAX_EXPORT_BATCH_SIZE"], 1...10_000) ?? limits.batch
        limits.batch = min(limits.batch, limits.most)
    }

    private mutating func url() -> String? {
        let names = names("ENDPOINT")
        guard let given = text(names) else { return nil }
        // The text isn't shown, because it may hold a credential.
        guard let url = URL(string: given.text),
            ["http", "https"].contains(url.scheme?.lowercased()), url.host()?.isEmpty == false,
            url.user() == nil
        else {
            problems.append(
                ConfigurationError(
                    "\(given.name) is not the URL of a collector, such as http://localhost:4318. "
                        + "Put credentials into OTEL_EXPORTER_OTLP_HEADERS."))
            return nil
        }
        if given.name == names[0] { return given.text }
        return given.text + (given.text.hasSuffix("/") ? "" : "/") + "v1/traces"
    }

    private mutating func headers() -> [(name: String, value: Secret)] {
        guard let given = text(names("HEADERS")) else { return [] }
        guard let pairs = Self.pairs(given.text),
            pairs.allSatisfy({ PurgeTemplate.isHeader("\($0.name): \($0.value)") })
        else {
            problems.append(
                ConfigurationError(
                    "\(given.name) is not a list of header fields; expected name=value, separated by "
                        + "commas, with special characters percent-encoded."))
            return []
        }
        return pairs.map { ($0.name, Secret($0.value)) }
    }

    private mutating func resource() -> [String: SpanValue] {
        var resource: [String: SpanValue] = [
            "service.name": "vitrine", "service.version": .text(Version.number),
        ]
        let pairs = value(
            ["OTEL_RESOURCE_ATTRIBUTES"],
            "name=value, separated by commas, with special characters percent-encoded",
            Self.pairs)
        for (name, text) in pairs ?? [] { resource[name] = .text(text) }
        if let name = text(["OTEL_SERVICE_NAME"]) { resource["service.name"] = .text(name.text) }
        return resource
    }

    private mutating func sampler() -> Sampler {
        let name = choice("OTEL_TRACES_SAMPLER", Self.samplers) ?? "parentbased_always_on"
        let share: Double
        if name.hasSuffix("always_on") {
            share = 1
        } else if name.hasSuffix("always_off") {
            share = 0
        } else {
            share =
                value(["OTEL_TRACES_SAMPLER_ARG"], "a number from 0 to 1") { text in
                    Double(text).flatMap { (0...1).contains($0) ? $0 : nil }
                } ?? 1
        }
        return Sampler(share: share, followsParent: name.hasPrefix("parentbased_"))
    }

    // MARK: - Values

    /// Returns the variable of traces, and the one of all signals.
    private func names(_ end: String) -> [String] {
        ["OTEL_EXPORTER_OTLP_TRACES_\(end)", "OTEL_EXPORTER_OTLP_\(end)"]
    }

    /// Returns the first variable that is set. An empty one counts as not set.
    private func text(_ names: [String]) -> (name: String, text: String)? {
        for name in names {
            if let text = environment[name], !text.isEmpty { return (name, text) }
        }
        return nil
    }

    private mutating func value<Value>(
        _ names: [String], _ expected: String, _ parse: (String) -> Value?
    ) -> Value? {
        guard let (name, text) = text(names) else { return nil }
        if let value = parse(text) { return value }
        problems.append(ConfigurationError("\(name) is “\(text)”; expected \(expected)."))
        return nil
    }

    private mutating func choice(_ name: String, _ choices: [String]) -> String? {
        value([name], "one of \(choices.joined(separator: ", "))") {
            choices.contains($0) ? $0 : nil
        }
    }

    private mutating func number(_ names: [String], _ range: ClosedRange<Int>) -> Int? {
        let syntax = ValueSyntax.integer(range)
        return value(names, syntax.expected, syntax.parse)
    }

    /// Splits a list at its commas, without white space.
    private static func parts(_ text: String) -> [String] {
        text.split(separator: ",").map { String($0).trimmed }
            .filter { !$0.isEmpty }
    }

    /// Reads `name=value,…` with percent-encoded values (W3C Baggage); nil for anything else.
    private static func pairs(_ text: String) -> [(name: String, value: String)]? {
        var pairs: [(name: String, value: String)] = []
        for part in parts(text) {
            let halves = part.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false
            ).map { String($0).trimmed }
            guard halves.count == 2, !halves[0].isEmpty,
                let value = PercentCoding.decoded(halves[1])
            else { return nil }
            pairs.append((halves[0], value))
        }
        return pairs
    }
}
