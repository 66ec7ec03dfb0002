import Store

/// Where the items of a run are made: in this cache, or by the workers of a fleet.
package protocol WarmSink: Sendable {
    /// Makes the items of a run. Shows in the monitor how far it is, and calls `report` for each item that
    /// has ended. On cancellation the items in flight end first.
    func make(
        _ items: WarmItems, _ monitor: WarmMonitor,
        report: @escaping @Sendable (WarmedItem) async throws -> Void
    ) async throws
}
