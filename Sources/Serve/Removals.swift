import Synchronization

/// Counts what left memory.
final class Removals: Sendable {
    let count = Atomic(0)
}
