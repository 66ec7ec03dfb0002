/// One thing to be measured: it becomes one row.
struct BenchCase: Sendable {
    var head: BenchRow.Head
    /// Rounds that are run first and not counted.
    var warmUps: Int
    /// Measures once. The number counts from 1; warm-ups have 0 and less.
    var round: @Sendable (_ number: Int) async throws -> BenchSample

    init(
        _ head: BenchRow.Head, warmUps: Int = 1,
        round: @escaping @Sendable (_ number: Int) async throws -> BenchSample
    ) {
        self.head = head
        self.warmUps = warmUps
        self.round = round
    }
}
