package import Fetch

/// TVMaze's public API: shows and their posters.
package struct TVMaze: Source {
    package init() {}

    package var name: String { "tvmaze" }
    package var title: String { "TVMaze" }
    package var kinds: [String] { ["show", "poster"] }
    package var lists: [String] { ["shows?page=", "search?q="] }
    package var imageHosts: [HostPattern] { fatalError("seam") }
    package var hostPolicies: [(pattern: HostPattern, policy: HostPolicy)] { fatalError("seam") }

    package func item(kind: String, id: String) throws(CatalogError) -> Item {
        fatalError("seam")
    }

    package func query(
        list: String, parameters: [String: String]
    ) throws(CatalogError) -> ListQuery {
        fatalError("seam")
    }

    package func details(
        of item: Item, api: any APIReading
    ) async throws(CatalogError) -> ItemDetails {
        fatalError("seam")
    }

    package func page(
        _ query: ListQuery, api: any APIReading
    ) async throws(CatalogError) -> CatalogPage? {
        fatalError("seam")
    }
}
