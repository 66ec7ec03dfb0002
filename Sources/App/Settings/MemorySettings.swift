package import Memory
import Pipeline

/// What the operator said of memory, in bytes; nil is settled by the budget.
package struct MemorySettings: Sendable {
    package var budget: Int?
    package var shares = MemoryShares.Given()
    package var queue: Int?
    package var child: Int?
    package var maxBytes: Int?
    /// The whole, as it was settled.
    package var settledBudget = 1 << 30
    /// `memory.originals`, as it was settled.
    package var originals = PipelineConfiguration().originalBytes
}
