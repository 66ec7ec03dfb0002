import CLoad

/// A set of processors that threads and processes can be bound to.
struct Processors: Sendable, Equatable {
    let numbers: [Int]

    /// Room for 8,192 processors: the kernel refuses less room than it needs.
    private static let words = 128

    init(_ numbers: [Int]) { self.numbers = numbers }

    /// Those that the calling thread may use, in rising order; empty if the kernel doesn't say.
    static func allowed() -> Processors {
        var mask = [UInt64](repeating: 0, count: words)
        guard load_processors(&mask, words * 8) > 0 else { return Processors([]) }
        return Processors((0..<words * 64).filter { mask[$0 / 64] >> UInt64($0 % 64) & 1 == 1 })
    }

    /// Binds the calling thread, and what it starts from now on. Without permission it stays where
    /// it was, which only makes the figures spread more.
    func bindThisThread() {
        guard !numbers.isEmpty else { return }
        var mask = [UInt64](repeating: 0, count: Self.words)
        for number in numbers where number < Self.words * 64 {
            mask[number / 64] |= 1 << UInt64(number % 64)
        }
        _ = load_set_processors(mask, Self.words * 8)
    }
}
