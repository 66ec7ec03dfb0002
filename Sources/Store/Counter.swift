import Synchronization

/// Counts from zero. Any thread; never blocks.
final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    func add(_ number: Int = 1) { count.add(number, ordering: .relaxed) }
}
