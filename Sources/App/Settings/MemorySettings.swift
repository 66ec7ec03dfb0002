package import Memory
import Pipeline

/// The operator's memory settings in bytes; nil takes a share of the budget.
package struct MemorySettings: Sendable {
    package var budget: Int?
    package var shares = MemoryShares.Given()
    package var queue: Int?
    package var child: Int?
    package var maxBytes: Int?
    /// The budget in force.
    package var resolvedBudget = 1 << 30
    /// Connections over TLS for which the budget has memory; nil without TLS.
    package var encryptedConnections: Int?
    /// `memory.originals` in force.
    package var originals = PipelineConfiguration().originalBytes
    /// `memory.catalogs` in force.
    package var catalogs = PipelineConfiguration().catalogBytes
}
