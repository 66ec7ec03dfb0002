import Glibc
import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1))) struct ConnectionBudgetTests {
    @Test func `threads together take no more connections than allowed`() async {
        let budget = ConnectionBudget(limit: 100)
        let taken = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<50).count { _ in budget.take() } }
            }
            return await group.reduce(0, +)
        }
        #expect(taken == 100 && budget.isFull)
        budget.give()
        #expect(!budget.isFull && budget.take() && !budget.take())
    }
}
