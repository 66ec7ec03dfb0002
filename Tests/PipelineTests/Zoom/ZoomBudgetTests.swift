import Catalog
import Testing

@testable import Pipeline

@Suite(.timeLimit(.minutes(1))) struct ZoomBudgetTests {
    @Test func `the budget of a picture refills, and others have their own`() {
        var budget = ZoomBudget(perMinute: 600)
        let (one, other) = (
            Item(source: "a", kind: "b", id: "1"), Item(source: "a", kind: "b", id: "2")
        )
        #expect(budget.take(500, of: one, at: 0) == nil)
        #expect(budget.take(200, of: one, at: 0) == 10)
        #expect(budget.take(200, of: other, at: 0) == nil)
        #expect(budget.take(200, of: one, at: 9) == 1)
        #expect(budget.take(200, of: one, at: 10) == nil)
        // More than a whole budget needs a full one.
        #expect(budget.take(5_000, of: one, at: 10) == 60)
        #expect(budget.take(5_000, of: one, at: 70) == nil)
        #expect(budget.take(1, of: one, at: 71) != nil)
        // What was not made is not taken.
        budget.giveBack(5_000, of: one)
        #expect(budget.take(1, of: one, at: 71) == nil)
    }
}
