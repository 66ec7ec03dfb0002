/// Gets bytes from origins through libcurl's multi interface, on a thread of its own.
package final class Fetcher: Fetching {
    package init(_ configuration: FetchConfiguration) throws(FetchError) {
        fatalError("seam")
    }

    package func fetch(_ request: FetchRequest) async throws(FetchError) -> FetchResponse {
        fatalError("seam")
    }

    /// Aborts what runs, refuses what comes, and joins the thread. Idempotent.
    package func shutdown() async {
        fatalError("seam")
    }
}
