import Logging

/// Selects the requests that are logged at level info. At level debug every request is logged.
package enum AccessLog: String, Sendable, CaseIterable {
    case off
    /// All requests except hits in memory or in a known file, which may come tens of thousands of
    /// times per second.
    case slow
    case all

    /// Returns whether such hits are logged, given the logger's level.
    func showsHits(_ logger: Logger) -> Bool {
        logger.logLevel <= (self == .all ? .info : .debug)
    }
}
