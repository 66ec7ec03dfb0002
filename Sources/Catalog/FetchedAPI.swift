package import Fetch

/// Reads API documents over the network.
package struct FetchedAPI: APIReading {
    package init(fetch: any Fetching, maxBytes: Int = 16 << 20) {
        fatalError("seam")
    }

    package func read(_ call: APICall) async throws(CatalogError) -> APIAnswer {
        fatalError("seam")
    }
}
