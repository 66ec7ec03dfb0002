/// The operator's memory settings in bytes; nil takes a share of the budget.
package struct MemorySettings: Sendable {
    package var budget: Int?
    package var imaging: Int?
    package var cache: Int?
    package var maxBytes: Int?
    /// The budget in force.
    package var resolvedBudget = 1 << 30
    /// Connections over TLS for which the budget has memory; nil without TLS.
    package var encryptedConnections: Int?
}
