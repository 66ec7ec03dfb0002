import Catalog
import Pipeline

/// A page of a list as clients ask for it: the list's own parameters, and the filters every list has.
struct ListRequest: Sendable {
    let query: ListQuery
    let filter: CatalogFilter
    private let filters: [String: String]

    init(
        source: String, list: String, _ parameters: [(String, String)], of pipeline: MediaPipeline
    ) throws(PipelineError) {
        let (filters, own) = try Self.split(parameters)
        self.filters = filters
        do throws(CatalogError) {
            filter = try CatalogFilter(parameters: filters, now: pipeline.now())
        } catch {
            throw .catalog(error)
        }
        query = try pipeline.query(source: source, list: list, parameters: own)
    }

    /// `/v1/…` of another page of the list, with the same filters.
    func path(_ query: ListQuery) -> String {
        "/v1/\(query.source)/\(PercentEncoding.encodePath(query.list))\(queryString(query))"
    }

    /// `?page=0&title=…`, in the order of the names; empty where there is nothing to say.
    func queryString(_ query: ListQuery) -> String {
        let pairs = query.parameters.merging(filters) { own, _ in own }
            .sorted { $0.key < $1.key }
            .map { "\($0.key)=\(PercentEncoding.encodeQueryValue($0.value))" }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }

    /// Filters work on every list; the rest belongs to the list itself.
    private static func split(
        _ parameters: [(String, String)]
    ) throws(PipelineError) -> (filters: [String: String], own: [String: String]) {
        var filters: [String: String] = [:]
        var own: [String: String] = [:]
        for (name, value) in parameters {
            let isFilter = CatalogFilter.parameterNames.contains(name)
            guard (isFilter ? filters[name] : own[name]) == nil else {
                throw .catalog(.invalid(reason: "The parameter “\(name)” is given twice."))
            }
            if isFilter { filters[name] = value } else { own[name] = value }
        }
        return (filters, own)
    }
}
