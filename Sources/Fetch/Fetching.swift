/// Gets bytes from an origin.
///
/// ``Fetcher`` is the implementation. Tests of other modules may script their own.
package protocol Fetching: Sendable {
    /// Returns the final response of a request, after redirects and retries.
    ///
    /// Every final status is a response, including 404 and 503. Canceling the task aborts the
    /// transfer.
    ///
    /// - Throws: ``FetchError``, whose cause is
    ///   - `invalidURL`, `hostNotAllowed`, `addressRefused`: the request is not allowed.
    ///   - `tooManyRedirects`, `tooLarge`: the response exceeds a limit of the request.
    ///   - `configuration`: this service's network settings are at fault.
    ///   - `canceled`, `stopped`: the task was canceled or the fetcher is shutting down.
    ///   - any other: the origin failed, after all attempts.
    func fetch(_ request: FetchRequest) async throws(FetchError) -> FetchResponse

    /// The state of the hosts that were used recently, in no particular order.
    var hosts: [HostState] { get async }
}

extension Fetching {
    package var hosts: [HostState] { [] }
}
