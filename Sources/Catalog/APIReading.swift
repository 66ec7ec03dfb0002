import Fetch
import Memory

/// Reads API documents for sources, over the network or through a cache.
package protocol APIReading: Sendable {
    /// Returns the response of a call, with any status not listed below.
    ///
    /// - Throws: ``Failure`` of kind `sourceUnavailable` or `sourceTimedOut` for 408, 425, 429, 5xx
    ///   and transport failures, `unconfigured` if this service's network settings are at fault,
    ///   and `canceled`.
    func read(_ call: APICall) async throws(Failure) -> APIAnswer
}
