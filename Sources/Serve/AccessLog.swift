import Logging

/// Which requests have a line in the log, at level info; at debug all have.
package enum AccessLog: String, Sendable, CaseIterable {
    case off
    /// All that are no hits in memory: those come by the ten thousands a second.
    case slow
    case all

    func showsHits(_ logger: Logger) -> Bool {
        logger.logLevel <= (self == .all ? .info : .debug)
    }
}
