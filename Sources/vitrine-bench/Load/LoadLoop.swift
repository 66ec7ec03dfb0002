import CLoad
import Glibc

/// Sends the requests of a plan and measures the responses. Belongs to one thread.
///
/// It is written like the server's own loop, because both share the machine: a read, a scan of the
/// head and a send for each request.
final class LoadLoop {
    private enum Phase {
        case closed
        /// Without a request.
        case open
        /// Has a request that is sent once the connection stands.
        case connecting
        /// Waits for the response.
        case waiting
    }

    private struct Connection {
        var phase = Phase.closed
        var socket: CInt = -1
        var request = 0
        /// When the request should have been sent, and when it was. Nanoseconds from the start.
        var intended: UInt64 = 0
        var sent: UInt64 = 0
        /// Whether the body is compared, and whether it was equal so far.
        var isCompared = false
        var isEqual = true
        var reader = ResponseReader()
    }

    private static let readSize = 256 << 10
    private static let eventCount = 256
    /// Time between two looks for responses that take too long and for a stop.
    private static let tick: UInt64 = 50_000_000
    /// Failed requests in a row after which the server counts as gone.
    private static let maxFaultsInARow = 1_000

    private let plan: LoadPlan
    private let clock: () -> UInt64
    private let isStopping: () -> Bool
    private let epoll: CInt
    private let input: UnsafeMutableRawBufferPointer
    private let events: UnsafeMutablePointer<load_event>
    private var schedule: LoadSchedule
    private var order: LoadOrder
    private var connections: [Connection]
    /// The connection of each descriptor.
    private var owners: [Int] = []
    /// Connections without a request, the last used one last.
    private var free: [Int]
    private var inFlight = 0
    private var start: UInt64 = 0
    private var faultsInARow = 0
    /// Since when a connection has been free.
    private var freeSince: UInt64 = 0
    private var outcome = LoadOutcome()
    /// Responses by status, and all of them.
    private var statuses = [Int](repeating: 0, count: 1_000)
    private var answered = 0

    /// - Parameters:
    ///   - clock: nanoseconds that never go back.
    ///   - isStopping: asked some times a second.
    init(
        _ plan: LoadPlan, clock: @escaping () -> UInt64, isStopping: @escaping () -> Bool
    ) throws(LoadError) {
        var plan = plan
        if plan.closesConnections { plan.requests = plan.requests.map(\.closing) }
        self.plan = plan
        self.clock = clock
        self.isStopping = isStopping
        epoll = load_epoll()
        guard epoll >= 0 else { throw LoadError(errno, doing: "epoll_create1") }
        input = .allocate(byteCount: Self.readSize, alignment: 64)
        events = .allocate(capacity: Self.eventCount)
        let (seconds, attoseconds) = plan.length.components
        schedule = LoadSchedule(
            plan.pace, limit: plan.limit,
            length: UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000))
        order = LoadOrder(plan.order, count: plan.requests.count, seed: plan.seed)
        connections = Array(repeating: Connection(), count: plan.connections)
        free = Array((0..<plan.connections).reversed())
    }

    deinit {
        for connection in connections where connection.socket >= 0 { close(connection.socket) }
        close(epoll)
        input.deallocate()
        events.deallocate()
    }

    /// Runs the plan to its end. Blocks.
    func run() throws(LoadError) -> LoadOutcome {
        // Connections that stay are opened before the clock runs: their handshakes are not latency.
        if !plan.closesConnections {
            for index in connections.indices { try connect(index) }
        }
        let processorTime = UInt64(ProcessUsage.threadTime() * 1e9)
        start = clock()
        var lastLook: UInt64 = 0
        while true {
            let now = clock() - start
            try dispatch(now)
            if now - lastLook >= Self.tick {
                lastLook = now
                if isStopping() { throw LoadError.stopped }
                dropLate(now)
            }
            if inFlight == 0, schedule.due == nil || now >= schedule.length { break }
            let count = wait(now)
            for index in 0..<count {
                let file = Int(events[index].file)
                guard file < owners.count else { continue }
                try handle(owners[file], events[index].kinds)
            }
        }
        let end = clock() - start
        let ended = min(end, schedule.length)
        for intended in schedule.missed(at: ended) {
            outcome.unsent += 1
            outcome.latency.record(nanoseconds: end - min(end, intended))
        }
        for (status, count) in statuses.enumerated() where count > 0 {
            outcome.statuses[status] = count
        }
        outcome.nanoseconds = plan.limit == nil ? schedule.length : end
        outcome.generatorNanoseconds = UInt64(ProcessUsage.threadTime() * 1e9) - processorTime
        return outcome
    }

    // MARK: Sending

    /// Sends what is due while a connection is free.
    private func dispatch(_ now: UInt64) throws(LoadError) {
        while let index = free.last, let intended = schedule.take(at: now) {
            free.removeLast()
            inFlight += 1
            if plan.pace != .closed, intended >= freeSince {
                outcome.lag.record(nanoseconds: now - intended)
            }
            connections[index].intended = intended
            connections[index].request = order.draw()
            connections[index].sent = now
            try send(index)
            if faultsInARow >= Self.maxFaultsInARow {
                throw LoadError.unanswered(outcome.firstError ?? "")
            }
        }
    }

    private func send(_ index: Int) throws(LoadError) {
        if connections[index].phase == .closed { try connect(index) }
        let request = plan.requests[connections[index].request]
        connections[index].reader.reset()
        connections[index].isEqual = true
        connections[index].isCompared =
            request.body != nil && answered % max(1, plan.checkEvery) == 0
        let sent = request.bytes.withUnsafeBytes { bytes in
            load_send(connections[index].socket, bytes.baseAddress, bytes.count)
        }
        if sent == request.bytes.count {
            if connections[index].phase == .connecting { watch(index, forConnect: false) }
            connections[index].phase = .waiting
        } else if sent < 0, errno == EAGAIN {
            watch(index, forConnect: true)
            connections[index].phase = .connecting
        } else {
            // A request is far smaller than the socket's buffer: anything else is an error.
            fail(index, sent < 0 && errno == ECONNREFUSED ? .notConnected : .closed)
        }
    }

    /// Opens a connection without waiting until it stands.
    private func connect(_ index: Int) throws(LoadError) {
        let socket = load_socket()
        guard socket >= 0 else { throw LoadError(errno, doing: "socket") }
        connections[index].socket = socket
        connections[index].phase = .open
        while owners.count <= Int(socket) { owners.append(0) }
        owners[Int(socket)] = index
        // A refusal shows when the request is sent.
        if load_connect(socket, UInt16(plan.port)) != 0, errno == EADDRNOTAVAIL {
            throw LoadError(errno, doing: "connect")
        }
        guard load_watch(epoll, socket, true, false) == 0 else {
            throw LoadError(errno, doing: "epoll_ctl")
        }
    }

    private func watch(_ index: Int, forConnect: Bool) {
        _ = load_watch(epoll, connections[index].socket, false, forConnect)
    }

    private func disconnect(_ index: Int) {
        close(connections[index].socket)
        connections[index].socket = -1
        connections[index].phase = .closed
    }

    // MARK: Receiving

    /// Waits for a response, for the next request to be due, or for the next look at late ones.
    private func wait(_ now: UInt64) -> Int {
        var most = Self.tick
        if !free.isEmpty, now < schedule.length, let due = schedule.due {
            most = min(most, due - min(due, now))
        }
        return max(
            0, Int(load_wait(epoll, events, CInt(Self.eventCount), most)))
    }

    private func handle(_ index: Int, _ kinds: UInt32) throws(LoadError) {
        switch connections[index].phase {
        case .connecting:
            if kinds & UInt32(LOAD_FAILED) != 0 { return fail(index, .notConnected) }
            if kinds & UInt32(LOAD_WRITABLE) != 0 { try send(index) }
        case .waiting:
            try receive(index)
        case .open:
            // The server closed it between two requests, or says something that belongs to none, such
            // as 408. The next request opens another one.
            if kinds & UInt32(LOAD_ENDED | LOAD_READABLE) != 0 { disconnect(index) }
        case .closed: break
        }
    }

    private func receive(_ index: Int) throws(LoadError) {
        while true {
            let count = load_receive(connections[index].socket, input.baseAddress, input.count)
            if count < 0 {
                if errno == EAGAIN || errno == EINTR { return }
                return fail(index, .closed)
            }
            if count == 0 {
                let reader = connections[index].reader
                guard reader.hasHead, reader.head.length == nil else { return fail(index, .closed) }
                return try finish(index, isOpen: false)
            }
            outcome.bytes += count
            let piece = UnsafeRawBufferPointer(rebasing: input[..<count])
            let before = connections[index].reader.bodyBytes
            var body = 0..<0
            let step = connections[index].reader.read(piece, body: &body)
            if connections[index].isCompared {
                compare(index, UnsafeRawBufferPointer(rebasing: piece[body]), at: before)
            }
            switch step {
            case .partial:
                // A short read emptied the socket; the next piece is announced.
                if count < input.count { return }
            case .complete: return try finish(index, isOpen: true)
            case .broken: return fail(index, .malformed)
            }
        }
    }

    private func compare(_ index: Int, _ piece: UnsafeRawBufferPointer, at offset: Int) {
        guard connections[index].reader.head.status == 200,
            let body = plan.requests[connections[index].request].body
        else { return }
        let isEqual = body.withUnsafeBytes { body in
            guard offset + piece.count <= body.count else { return false }
            guard let base = piece.baseAddress, let expected = body.baseAddress else { return true }
            return memcmp(base, expected + offset, piece.count) == 0
        }
        if !isEqual { connections[index].isEqual = false }
    }

    private func finish(_ index: Int, isOpen: Bool) throws(LoadError) {
        let now = clock() - start
        let connection = connections[index]
        outcome.latency.record(nanoseconds: now - connection.intended)
        let head = connection.reader.head
        statuses[head.status] += 1
        answered += 1
        if let fault = fault(of: connection) {
            note(fault, index)
        } else {
            faultsInARow = 0
            if now <= schedule.length { outcome.inTime += 1 }
        }
        if !isOpen || head.closes || plan.closesConnections {
            disconnect(index)
        } else {
            connections[index].phase = .open
        }
        giveBack(index, now)
        if plan.pace == .closed { try dispatch(now) }
    }

    private func fault(of connection: Connection) -> LoadFault? {
        let (request, head) = (plan.requests[connection.request], connection.reader.head)
        guard request.statuses.contains(head.status) else { return .wrongStatus }
        if head.status == 503, !head.hasRetryAfter { return .noRetryAfter }
        if head.status == request.statuses.first, let length = request.length,
            length != connection.reader.bodyBytes
        {
            return .wrongLength
        }
        return connection.isEqual ? nil : .wrongBody
    }

    // MARK: Failures

    /// Ends a request without a response.
    private func fail(_ index: Int, _ fault: LoadFault) {
        let now = clock() - start
        outcome.latency.record(nanoseconds: now - min(now, connections[index].intended))
        note(fault, index)
        disconnect(index)
        giveBack(index, now)
    }

    private func note(_ fault: LoadFault, _ index: Int) {
        outcome.faults[fault, default: 0] += 1
        faultsInARow += 1
        guard outcome.firstError == nil else { return }
        let line = plan.requests[connections[index].request].bytes.prefix { $0 != 13 }
        let status = connections[index].reader.head.status
        outcome.firstError =
            "\(String(decoding: line, as: UTF8.self)) failed: \(fault.rawValue)"
            + (fault == .wrongStatus ? " (\(status))." : ".")
    }

    private func giveBack(_ index: Int, _ now: UInt64) {
        inFlight -= 1
        if free.isEmpty { freeSince = now }
        free.append(index)
    }

    private func dropLate(_ now: UInt64) {
        guard inFlight > 0 else { return }
        let most = UInt64(max(0, plan.timeout / .nanoseconds(1)))
        for index in connections.indices
        where [.waiting, .connecting].contains(connections[index].phase)
            && now > connections[index].sent + most
        { fail(index, .timedOut) }
    }
}
