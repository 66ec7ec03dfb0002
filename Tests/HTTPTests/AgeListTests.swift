import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1))) struct AgeListTests {
    @Test func `the oldest number stays first after any appends and removals`() {
        var list = AgeList()
        #expect(list.first == nil)
        for number in [3, 1, 7] { list.append(number) }
        #expect(list.first == 3)
        list.append(3)
        #expect(list.first == 1)
        list.remove(7)
        list.remove(7)
        list.remove(99)
        list.append(5)
        var order: [Int] = []
        while let first = list.first {
            order.append(first)
            list.remove(first)
        }
        #expect(order == [1, 3, 5])
        list.append(1)
        #expect(list.first == 1)
    }
}
