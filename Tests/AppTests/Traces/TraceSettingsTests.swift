import Catalog
import Testing
import Traces

@testable import App

/// The standard variables of OpenTelemetry, given by each test.
@Suite(.timeLimit(.minutes(1))) struct TraceSettingsTests {
    private static let collector = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318"]

    private func read(
        _ variables: [String: String], _ base: [String: String] = collector
    ) -> (settings: TraceSettings?, problems: [String]) {
        var problems: [ConfigurationError] = []
        let settings = TraceSettings.read(base.merging(variables) { $1 }, &problems)
        return (settings, problems.map(\.description))
    }

    @Test func `without a collector nothing is traced, and no other value counts`() {
        for variables in [
            [:], ["OTEL_EXPORTER_OTLP_ENDPOINT": ""],
            ["OTEL_TRACES_SAMPLER": "nonsense", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"],
        ] {
            let (settings, problems) = read(variables, [:])
            #expect(settings == nil && problems.isEmpty)
        }
    }

    @Test(arguments: [["OTEL_SDK_DISABLED": "true"], ["OTEL_TRACES_EXPORTER": "none"]])
    func `traces can be switched off`(variables: [String: String]) {
        let (settings, problems) = read(variables)
        #expect(settings == nil && problems.isEmpty)
    }

    @Test func `a collector alone means every trace that a client doesn't leave out`() throws {
        let settings = try #require(read([:]).settings)
        #expect(settings.url == "http://localhost:4318/v1/traces")
        #expect(settings.headers.isEmpty)
        #expect(settings.timeout == .seconds(10))
        #expect(settings.sampler == Sampler(share: 1, followsParent: true))
        #expect(!settings.tellsOrigins)
        #expect(settings.limits == SpanQueue.Limits())
        #expect(
            settings.resource == [
                "service.name": "vitrine", "service.version": .text(Version.number),
            ])
    }

    @Test(arguments: [
        (
            "OTEL_EXPORTER_OTLP_ENDPOINT", "https://a.example/otlp/",
            "https://a.example/otlp/v1/traces"
        ),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://[::1]:4318", "http://[::1]:4318/v1/traces"),
        ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://b.example/own", "http://b.example/own"),
    ])
    func `the collector's URL is completed, unless it is that of traces alone`(
        name: String, value: String, url: String
    ) {
        #expect(read([name: value]).settings?.url == url)
    }

    @Test func `every variable is read`() throws {
        let settings = try #require(
            read([
                "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Basic%20YTpi, x-team = a%2Cb",
                "OTEL_EXPORTER_OTLP_TIMEOUT": "2500",
                "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json",
                "OTEL_EXPORTER_OTLP_CERTIFICATE": "/etc/ca.pem",
                "OTEL_SERVICE_NAME": "pictures",
                "OTEL_RESOURCE_ATTRIBUTES": "service.name=other,deployment.environment=t%C3%A9st",
                "OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.25",
                "OTEL_BSP_SCHEDULE_DELAY": "100", "OTEL_BSP_MAX_QUEUE_SIZE": "20",
                "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "50",
                "OTEL_PROPAGATORS": "baggage,tracecontext", "OTEL_SDK_DISABLED": "false",
                "OTEL_TRACES_EXPORTER": "otlp",
            ]).settings)
        #expect(settings.headers.map(\.name) == ["authorization", "x-team"])
        #expect(settings.headers.map { $0.value.reveal() } == ["Basic YTpi", "a,b"])
        #expect(!"\(settings)".contains("YTpi"))
        #expect(settings.timeout == .milliseconds(2_500))
        #expect(settings.certificates == "/etc/ca.pem")
        #expect(settings.resource["service.name"] == "pictures")
        #expect(settings.resource["deployment.environment"] == "tést")
        #expect(settings.sampler == Sampler(share: 0.25, followsParent: false))
        #expect(settings.tellsOrigins)
        #expect(settings.limits.delay == .milliseconds(100))
        #expect(settings.limits.most == 20 && settings.limits.batch == 20)
    }

    @Test(arguments: [
        ("always_on", Sampler(share: 1, followsParent: false)),
        ("always_off", Sampler(share: 0, followsParent: false)),
        ("traceidratio", Sampler(share: 0.5, followsParent: false)),
        ("parentbased_always_on", Sampler(share: 1, followsParent: true)),
        ("parentbased_always_off", Sampler(share: 0, followsParent: true)),
        ("parentbased_traceidratio", Sampler(share: 0.5, followsParent: true)),
    ])
    func `every sampler of OpenTelemetry is there`(name: String, sampler: Sampler) {
        let (settings, problems) = read([
            "OTEL_TRACES_SAMPLER": name, "OTEL_TRACES_SAMPLER_ARG": "0.5",
        ])
        #expect(settings?.sampler == sampler && problems.isEmpty)
    }

    @Test func `the variables of traces win over those of all signals`() {
        let settings = read([
            "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
            "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json",
            "OTEL_EXPORTER_OTLP_TIMEOUT": "1", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT": "2",
            "OTEL_EXPORTER_OTLP_HEADERS": "a=1", "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "b=2",
        ])
        #expect(settings.problems.isEmpty)
        #expect(settings.settings?.timeout == .milliseconds(2))
        #expect(settings.settings?.headers.map(\.name) == ["b"])
    }

    @Test(arguments: [
        (
            "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc",
            "OTEL_EXPORTER_OTLP_PROTOCOL is “grpc”; expected http/json, the only form in which spans are sent."
        ),
        (
            "OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318",
            "OTEL_EXPORTER_OTLP_ENDPOINT is not the URL of a collector, such as http://localhost:4318. "
                + "Put credentials into OTEL_EXPORTER_OTLP_HEADERS."
        ),
        (
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://user:geheim@localhost:4318",
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is not the URL of a collector, such as "
                + "http://localhost:4318. Put credentials into OTEL_EXPORTER_OTLP_HEADERS."
        ),
        (
            "OTEL_EXPORTER_OTLP_HEADERS", "Bearer geheim",
            "OTEL_EXPORTER_OTLP_HEADERS is not a list of header fields; expected name=value, separated "
                + "by commas, with special characters percent-encoded."
        ),
        (
            "OTEL_EXPORTER_OTLP_HEADERS", "a=geheim%0D%0Ab",
            "OTEL_EXPORTER_OTLP_HEADERS is not a list of header fields; expected name=value, separated "
                + "by commas, with special characters percent-encoded."
        ),
        (
            "OTEL_EXPORTER_OTLP_TIMEOUT", "10s",
            "OTEL_EXPORTER_OTLP_TIMEOUT is “10s”; expected a whole number from 1 to 600000."
        ),
        (
            "OTEL_TRACES_SAMPLER", "sometimes",
            "OTEL_TRACES_SAMPLER is “sometimes”; expected one of always_on, always_off, traceidratio, "
                + "parentbased_always_on, parentbased_always_off, parentbased_traceidratio."
        ),
        (
            "OTEL_RESOURCE_ATTRIBUTES", "a=%zz",
            "OTEL_RESOURCE_ATTRIBUTES is “a=%zz”; expected name=value, separated by commas, with special "
                + "characters percent-encoded."
        ),
        (
            "OTEL_PROPAGATORS", "tracecontext,w3c",
            "OTEL_PROPAGATORS is “tracecontext,w3c”; expected a list of tracecontext, baggage, b3, "
                + "b3multi, jaeger, xray, ottrace, none."
        ),
        (
            "OTEL_BSP_MAX_QUEUE_SIZE", "0",
            "OTEL_BSP_MAX_QUEUE_SIZE is “0”; expected a whole number from 1 to 100000."
        ),
        (
            "OTEL_SDK_DISABLED", "maybe",
            "OTEL_SDK_DISABLED is “maybe”; expected true or false."
        ),
        (
            "OTEL_TRACES_EXPORTER", "zipkin",
            "OTEL_TRACES_EXPORTER is “zipkin”; expected one of otlp, none."
        ),
    ])
    func `a value that can't be used is one sentence without secrets`(
        name: String, value: String, sentence: String
    ) {
        #expect(read([name: value]).problems == [sentence])
    }

    @Test func `a sampler's share is a number from 0 to 1`() {
        let (_, problems) = read([
            "OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "2",
        ])
        #expect(problems == ["OTEL_TRACES_SAMPLER_ARG is “2”; expected a number from 0 to 1."])
    }

    @Test func `the settings are checked with all others`() {
        let variables = ["OTEL_TRACES_SAMPLER": "sometimes"].merging(Self.collector) { $1 }
        let loaded = SettingsLayers(environment: variables, budget: 1 << 30).check()
        #expect(loaded.problems.count == 1)
        #expect(throws: ConfigurationError.self) {
            try SettingsLayers(environment: variables, budget: 1 << 30).load()
        }
        let whole = SettingsLayers(environment: Self.collector, budget: 1 << 30).check()
        #expect(whole.settings.traces?.url == "http://localhost:4318/v1/traces")
        #expect(SettingsLayers(budget: 1 << 30).check().settings.traces == nil)
    }
}
