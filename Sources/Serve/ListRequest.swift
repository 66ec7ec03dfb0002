import Catalog
import Hashing
import Pipeline

/// A client's request for a page of a list: the list's own parameters, and the filters of every
/// list.
struct ListRequest: Sendable {
    let query: ListQuery
    let filter: CatalogFilter
    /// Parameters that links repeat besides the list's own: filters and language.
    private let common: [String: String]

    /// - Parameter isForPicture: whether parameters that mean nothing are ignored, as in every picture's URL,
    ///   where pages put a version to get past the caches of browsers. A document refuses them.
    init(
        source: String, list: String, _ parameters: [(String, String)], of pipeline: MediaPipeline,
        isForPicture: Bool = false
    ) throws(Failure) {
        let known = try pipeline.sources.offered(source)
        let description = known.list(list)
        var meant = parameters
        if isForPicture, let description {
            let names = Self.names(description)
            meant.removeAll { !names.contains($0.0) }
        }
        let (filters, own, language) = try Self.split(
            meant, ownFilters: description?.ownFilters ?? [])
        common = filters.merging(language) { filter, _ in filter }
        filter = try CatalogFilter(parameters: filters, now: pipeline.now())
        do throws(Failure) {
            query = try pipeline.catalog.query(source: source, list: list, parameters: own)
        } catch {
            guard let unknown = error.cause as? UnknownParameter else { throw error }
            throw .invalid(reason: unknown.sentence([LanguagePreference.parameter]))
        }
    }

    /// Returns the parameters that mean something for a list. `q` stands for its search words.
    private static func names(_ list: ListDescription) -> Set<String> {
        Set(
            list.parameters.map(\.name) + (list.term == nil ? [] : ["q"])
                + CatalogFilter.parameterNames + [LanguagePreference.parameter])
    }

    /// Returns the `/v1/…` path of another page of the list, with the same filters.
    func path(_ query: ListQuery) -> String {
        "/v1/\(query.source)/\(PercentCoding.encoded(query.list, keeping: "/"))\(queryString(query))"
    }

    /// Returns `?page=0&title=…`, sorted by name; empty without parameters.
    func queryString(_ query: ListQuery) -> String {
        Self.queryString(query.parameters.merging(common) { own, _ in own })
    }

    static func queryString(_ parameters: [String: String]) -> String {
        let pairs = parameters.sorted { $0.key < $1.key }
            .map { "\($0.key)=\(PercentCoding.encoded($0.value))" }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }

    /// Separates the common filters from the list's own parameters. A list's own parameter wins
    /// over a filter of the same name.
    private static func split(
        _ parameters: [(String, String)], ownFilters: Set<String>
    ) throws(Failure) -> (
        filters: [String: String], own: [String: String], language: [String: String]
    ) {
        var filters: [String: String] = [:]
        var own: [String: String] = [:]
        var language: [String: String] = [:]
        for (name, value) in parameters {
            if name == LanguagePreference.parameter {
                language[name] = value.isEmpty ? nil : value
                continue
            }
            let isFilter =
                CatalogFilter.parameterNames.contains(name) && !ownFilters.contains(name)
            guard (isFilter ? filters[name] : own[name]) == nil else {
                throw .invalid(reason: "The parameter “\(name)” is given twice.")
            }
            if isFilter { filters[name] = value } else { own[name] = value }
        }
        return (filters, own, language)
    }
}
