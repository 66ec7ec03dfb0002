import Foundation

/// A collector of spans on a loopback port. It checks each message against OpenTelemetry's schema.
package final class SpanCollector: Sendable {
    /// A span as a message has it.
    package struct Received: Sendable {
        package var trace: String
        package var id: String
        /// Empty for the first span of a trace.
        package var parent: String
        package var name: String
        package var kind: Int
        package var start: UInt64
        package var end: UInt64
        /// By key, as text.
        package var attributes: [String: String]
        /// Whether its status is an error.
        package var hasFailed: Bool
        /// Ids of linked spans.
        package var links: [String]
    }

    package struct State: Sendable {
        package var spans: [Received] = []
        /// Of the process that sent them.
        package var resource: [String: String] = [:]
        package var messages = 0
        package var problems: [String] = []
    }

    package let origin: OriginServer
    private let state: Watched<State>

    /// The base URL, without final slash.
    package var url: String { origin.url }
    package var current: State { state.value }

    package static func start() async throws -> SpanCollector {
        SpanCollector(try await OriginServer.start())
    }

    private init(_ origin: OriginServer) {
        self.origin = origin
        state = Watched(State())
        origin.on("/v1/traces") { [state] request in
            state.change { $0.take(request) }
            return .json("{}")
        }
    }

    /// Returns what it has once that matches.
    package func wait(_ isMet: @escaping @Sendable (State) -> Bool) async -> State {
        await state.wait(isMet)
    }

    /// Closes every connection and listens no more.
    package func die() async { await origin.stop() }

    /// Returns what is wrong with a message, as a collector sees it.
    package static func check(_ bytes: [UInt8]) -> State {
        var state = State()
        state.take(bytes)
        return state
    }
}

extension SpanCollector.State {
    fileprivate mutating func take(_ request: OriginRequest) {
        if request.method != "POST" { problems.append("The method is \(request.method).") }
        if request.header("content-type") != "application/json" {
            problems.append("The content type is not application/json.")
        }
        take(request.body)
    }

    fileprivate mutating func take(_ bytes: [UInt8]) {
        messages += 1
        guard let json = try? JSONSerialization.jsonObject(with: Data(bytes)) else {
            problems.append("A message is not JSON.")
            return
        }
        problems += SpanSchema.problems(json, "ExportTraceServiceRequest")
        for resource in Self.list(json, "resourceSpans") {
            let attributes = Self.attributes(resource["resource"] ?? [:], &problems)
            if attributes["service.name"] == nil { problems.append("service.name is missing.") }
            self.resource = attributes
            for scope in Self.list(resource, "scopeSpans") {
                for span in Self.list(scope, "spans") { add(span) }
            }
        }
    }

    private mutating func add(_ span: [String: Any]) {
        func text(_ name: String) -> String { span[name] as? String ?? "" }
        let received = SpanCollector.Received(
            trace: text("traceId"), id: text("spanId"), parent: text("parentSpanId"),
            name: text("name"), kind: span["kind"] as? Int ?? 0,
            start: UInt64(text("startTimeUnixNano")) ?? 0,
            end: UInt64(text("endTimeUnixNano")) ?? 0,
            attributes: Self.attributes(span, &problems),
            hasFailed: (span["status"] as? [String: Any])?["code"] as? Int == 2,
            links: Self.list(span, "links").compactMap { $0["spanId"] as? String })
        if received.trace.allSatisfy({ $0 == "0" }) { problems.append("A span has no trace.") }
        if received.id.allSatisfy({ $0 == "0" }) { problems.append("A span has no id.") }
        if received.name.isEmpty { problems.append("A span has no name.") }
        if received.kind == 0 { problems.append("\(received.name) has no kind.") }
        if received.start == 0 { problems.append("\(received.name) has no start.") }
        if received.end < received.start {
            problems.append("\(received.name) ends before it begins.")
        }
        if received.hasFailed != (received.attributes["error.type"] != nil) {
            problems.append("\(received.name) has an error without a type.")
        }
        if spans.contains(where: { $0.id == received.id }) {
            problems.append("\(received.name) came twice.")
        }
        spans.append(received)
    }

    /// Spans whose parent is neither here nor one of those.
    package func orphans(besides clients: Set<String>) -> [SpanCollector.Received] {
        let known = Set(spans.map { "\($0.trace) \($0.id)" })
        return spans.filter {
            !$0.parent.isEmpty && !clients.contains($0.parent)
                && !known.contains("\($0.trace) \($0.parent)")
        }
    }

    private static func list(_ object: Any, _ name: String) -> [[String: Any]] {
        (object as? [String: Any])?[name] as? [[String: Any]] ?? []
    }

    private static func attributes(_ object: Any, _ problems: inout [String]) -> [String: String] {
        var attributes: [String: String] = [:]
        for attribute in list(object, "attributes") {
            let key = attribute["key"] as? String ?? ""
            let value = attribute["value"] as? [String: Any] ?? [:]
            let text = value["stringValue"] as? String ?? value["intValue"] as? String
            if key.isEmpty || text == nil || attributes.updateValue(text ?? "", forKey: key) != nil
            {
                problems.append("The attribute “\(key)” has no value, or is there twice.")
            }
        }
        return attributes
    }
}
