import Store

/// A moment of a run.
package struct WarmProgress: Sendable, Equatable {
    package var summary = WarmSummary()
    /// Items of the whole run, once all pages are read.
    package var total: Int?
    /// Items that are known so far, and those of them that did not begin yet; with a queue the jobs in it.
    package var listed = 0
    package var waiting = 0
    /// Items that ended in a second of the last moments; nil in the first one.
    package var perSecond: Double?
    package var stages: [WarmStage] = []
    /// By name.
    package var hosts: [String: HostTransfers] = [:]

    package init() {}
}
