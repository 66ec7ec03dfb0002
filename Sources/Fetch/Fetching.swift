/// Something that gets bytes from an origin.
///
/// ``Fetcher`` is the real one; tests of other modules may script their own.
package protocol Fetching: Sendable {
    /// Runs one request to its end, with redirects and retries.
    ///
    /// Every final status is a response, 404 and 503 included: an error means that no usable
    /// answer came. Cancelling the task aborts the transfer and throws ``FetchError/cancelled``.
    func fetch(_ request: FetchRequest) async throws(FetchError) -> FetchResponse

    /// How the hosts stand that were asked lately, in no order.
    var hosts: [HostState] { get async }
}

extension Fetching {
    package var hosts: [HostState] { [] }
}
