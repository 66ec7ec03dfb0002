import Synchronization

/// How many threads a render may use, its own among them. The queue changes the number while the render
/// runs: more once other threads are idle, fewer once other renders need them.
final class ThreadAllowance: Sendable {
    private let number = Atomic(1)
    private let memory: SharedMemory?

    /// - Parameter memory: where another process writes the number; nil if this one does.
    init(readFrom memory: SharedMemory? = nil) { self.memory = memory }

    /// At least 1.
    var threads: Int {
        get { max(1, memory?.allowance ?? number.load(ordering: .relaxed)) }
        set { number.store(newValue, ordering: .relaxed) }
    }
}
