import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1))) struct OpenConnectionsTests {
    @Test func `connections without a request come before answered ones, each by age`() {
        var connections = OpenConnections()
        connections.add(7, at: 10)
        connections.add(3, at: 20)
        #expect(connections.oldestMute == 7)
        #expect(connections.oldestIdle == nil)
        connections.recordServed(7, at: 30)
        #expect(connections.oldestMute == 3)
        #expect(connections.oldestIdle == 7)
        #expect(connections.since(7) == 30)
        connections.recordServed(3, at: 40)
        connections.recordServed(7, at: 50)
        #expect(connections.oldestMute == nil)
        #expect(connections.oldestIdle == 3)
    }

    @Test func `a descriptor that is used again is a new connection`() {
        var connections = OpenConnections()
        connections.add(4, at: 1)
        connections.recordServed(4, at: 1)
        let number = connections.number(4)
        connections.remove(4)
        #expect(!connections.contains(4))
        #expect(connections.oldestIdle == nil)
        connections.add(4, at: 2)
        #expect(connections.contains(4))
        #expect(!connections.hasServed(4) && connections.number(4) != number)
        #expect(connections.all == [4])
    }
}
