import Glibc
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

    @Test func `files borrow the connections that are free, and leave an eighth`() async {
        let budget = ConnectionBudget(limit: 80)
        for _ in 0..<40 { #expect(budget.take()) }
        let lent = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<50).count { _ in budget.lend() } }
            }
            return await group.reduce(0, +)
        }
        #expect(lent == 30)
        // The others are for connections.
        #expect((0..<50).count { _ in budget.take() } == 10)
        #expect(budget.isFull && !budget.lend())
        for _ in 0..<30 { budget.takeBack() }
        #expect(!budget.isFull && budget.lend() && budget.take())
    }
}

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

@Suite(.timeLimit(.minutes(1))) struct AcceptBatchTests {
    @Test func `one connection is accepted at a time, and more while others have been waiting`() {
        var batch = AcceptBatch()
        var counts: [Int] = []
        for _ in 0..<200 {
            counts.append(batch.count)
            batch.grow()
        }
        #expect(counts.prefix(8).allSatisfy { $0 == 1 } && counts[8] == 2)
        #expect(counts == counts.sorted() && counts.last == 16)
        batch.reset()
        #expect(batch.count == 1)
    }
}

@Suite(.timeLimit(.minutes(1))) struct ListeningSocketTests {
    @Test(arguments: ["127.0.0.1", "localhost"])
    func `a socket bound to a loopback address is a loopback socket`(host: String) throws {
        let socket = try ListeningSocket.open(host: host, port: 0, backlog: 1)
        defer { close(socket.descriptor) }
        #expect(socket.port > 0)
        #expect(ListeningSocket.isLoopback(socket.descriptor))
        #expect(try ListeningSocket.adopt(socket.descriptor).port == socket.port)
    }

    @Test func `a connection is accepted with its first request`() throws {
        let socket = try ListeningSocket.open(host: "127.0.0.1", port: 0, backlog: 1)
        defer { close(socket.descriptor) }
        #expect(Self.deferral(of: socket) > 0)
        // As one that was opened by another program.
        var none: CInt = 0
        setsockopt(
            socket.descriptor, CInt(IPPROTO_TCP), TCP_DEFER_ACCEPT, &none,
            socklen_t(MemoryLayout<CInt>.size))
        #expect(Self.deferral(of: socket) == 0)
        #expect(Self.deferral(of: try ListeningSocket.adopt(socket.descriptor)) > 0)
    }

    /// Returns the seconds for which connections without a request wait to be accepted.
    private static func deferral(of socket: ListeningSocket) -> CInt {
        var seconds: CInt = -1
        var size = socklen_t(MemoryLayout<CInt>.size)
        getsockopt(socket.descriptor, CInt(IPPROTO_TCP), TCP_DEFER_ACCEPT, &seconds, &size)
        return seconds
    }

    @Test func `a socket bound to all addresses is not a loopback socket`() throws {
        let socket = try ListeningSocket.open(host: "0.0.0.0", port: 0, backlog: 1)
        defer { close(socket.descriptor) }
        #expect(!ListeningSocket.isLoopback(socket.descriptor))
    }

    @Test func `a port in use and an unknown name are different errors`() throws {
        let socket = try ListeningSocket.open(host: "127.0.0.1", port: 0, backlog: 1)
        defer { close(socket.descriptor) }
        #expect(throws: SystemError("bind", EADDRINUSE)) {
            try ListeningSocket.open(host: "127.0.0.1", port: socket.port, backlog: 1)
        }
        #expect(throws: SystemError("getaddrinfo", EADDRNOTAVAIL)) {
            try ListeningSocket.open(host: "256.256.256.256", port: 0, backlog: 1)
        }
    }
}
