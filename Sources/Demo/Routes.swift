/// What a path answers.
typealias Document = @Sendable (DemoRequest) async -> DemoAnswer

/// Documents by their paths. A path begins with its host; `*` stands for any segment, and `**` at the
/// end for any number of them. Of several rows that fit, the first counts.
struct Routes: Sendable {
    typealias Row = (path: String, document: Document)

    /// In the order of the rows.
    let hosts: [String]
    private let byHost: [Substring: [(segments: ArraySlice<Substring>, document: Document)]]

    init(_ rows: [Row]) {
        let rows = rows.map { ($0.path.split(separator: "/"), $0.document) }
        byHost = Dictionary(grouping: rows) { $0.0[0] }.mapValues { rows in
            rows.map { ($0.0.dropFirst(), $0.1) }
        }
        var seen: Set<Substring> = []
        hosts = rows.compactMap { seen.insert($0.0[0]).inserted ? String($0.0[0]) : nil }
    }

    /// Returns a host's own name; nil if no row has it. A benchmark makes many hosts of one: their
    /// names are below the host's.
    func host(_ name: String) -> String? {
        let parent = name.drop { $0 != "." }.dropFirst()
        return byHost[name[...]] != nil ? name : byHost[parent] != nil ? String(parent) : nil
    }

    func answer(_ request: DemoRequest) async -> DemoAnswer {
        let given = request.path.split(separator: "/")
        for (segments, document) in byHost[request.host[...]] ?? [] {
            guard let names = Self.names(of: given, in: segments) else { continue }
            var request = request
            request.names = names
            return await document(request)
        }
        return .notFound
    }

    /// Returns what stands where the row has stars; nil if the path doesn't fit.
    private static func names(
        of given: [Substring], in segments: ArraySlice<Substring>
    ) -> [String]? {
        if segments.last == "**" {
            return given.count >= segments.count - 1
                ? given.dropFirst(segments.count - 1).map(String.init) : nil
        }
        guard given.count == segments.count else { return nil }
        var names: [String] = []
        for (name, segment) in zip(given, segments) {
            if segment == "*" { names.append(String(name)) } else if segment != name { return nil }
        }
        return names
    }
}
