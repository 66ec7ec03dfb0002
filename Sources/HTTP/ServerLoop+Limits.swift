import CLinux
import Glibc

/// New connections, how many there are, and how long they last.
extension ServerLoop {
    /// Starts to accept. A shortage of memory is retried; other errors are permanent.
    mutating func startAccepting() throws(SystemError) {
        for listener in listeners {
            do throws(SystemError) {
                try queue.watch(listener.descriptor, isShared: true)
            } catch {
                for other in listeners { queue.unwatch(other.descriptor) }
                guard [ENOMEM, ENOSPC].contains(error.code) else { throw error }
                if !hasFailedToAccept { context.reports.acceptFailed(error) }
                hasFailedToAccept = true
                return
            }
        }
        (isAccepting, hasFailedToAccept) = (true, false)
    }

    /// Leaves new connections in the kernel's queue.
    private mutating func stopAccepting() {
        for listener in listeners { queue.unwatch(listener.descriptor) }
        isAccepting = false
    }

    /// - Parameter listener: its place in ``listeners``.
    mutating func accept(_ listener: Int) {
        guard isAccepting else { return }
        for _ in 0..<accepting.count {
            guard context.budget.take() else { return stopAccepting() }
            let file = vitrine_accept(listeners[listener].descriptor)
            guard file >= 0 else {
                let code = errno
                context.budget.give()
                // A client can go away before it is accepted. Without descriptors, pause.
                if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) { stopAccepting() }
                if [EMFILE, ENFILE].contains(code) {
                    context.budget.giveSpare()
                    context.budget.noteShortage()
                }
                return accepting.reset()
            }
            open(file, listener)
        }
        accepting.grow()
    }

    private mutating func open(_ file: CInt, _ listener: Int) {
        context.budget.keepSpare()
        context.counters.accepted.add()
        if context.budget.surplus > 0 { closeIdle() }
        var session: TLSTransport?
        if let identity = listeners[listener].identity {
            session = context(listener, identity).flatMap { TLSTransport($0, socket: file) }
            guard session != nil else {
                context.budget.give()
                _ = vitrine_close(file)
                return
            }
        }
        assert(busy[file] == nil && modern[file] == nil, "a new connection is an old one")
        context.counters.open.add()
        connections.add(file, session, at: now)
        new.append(file)
    }

    /// Returns the settings of new TLS connections, with the newest certificate. Nil without
    /// memory.
    private mutating func context(_ listener: Int, _ identity: TLSIdentity) -> TLSContext? {
        if let known = contexts[listener], known.version == identity.version { return known }
        let fresh = try? identity.context()
        if let fresh { contexts[listener] = fresh }
        return contexts[listener]
    }

    /// Closes connections until the reserve is free: first mute and dripping ones, then idle ones,
    /// each kind by age.
    private mutating func closeIdle(atLeast least: Int = 0) {
        var surplus = max(least, context.budget.surplus)
        let grace = context.limits.dripGrace
        while surplus > 0, let file = connections.oldestMute, waited(file) > grace {
            cutOff(file)
            surplus -= 1
        }
        while surplus > 0, let file = nextDripping() {
            cutOff(file)
            surplus -= 1
        }
        while surplus > 0, let file = connections.oldestIdle {
            endIdle(file)
            surplus -= 1
        }
    }

    /// Takes out the connection that has dripped for longest. They are sorted at most once a tick,
    /// so that the cost per connection doesn't depend on their number.
    private mutating func nextDripping() -> CInt? {
        var left = dripping ?? allDripping()
        defer { dripping = left }
        while let file = left.popLast() { if drips(file) { return file } }
        return nil
    }

    private func allDripping() -> [CInt] {
        let all =
            busy.values.map { (since: $0.since, file: $0.file) }
            + modern.values.map { (since: $0.since, file: $0.file) }
        return all.filter { drips($0.file) }.sorted { $0.since > $1.since }.map(\.file)
    }

    private func drips(_ file: CInt) -> Bool {
        busy[file]?.isDripping(at: now, context.limits)
            ?? modern[file]?.isDripping(at: now, context.limits) ?? false
    }

    /// Whether a client waits to be accepted.
    private var isAwaited: Bool {
        var sockets = listeners.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        return poll(&sockets, nfds_t(sockets.count), 0) > 0
    }

    private func waited(_ file: CInt) -> Int { now - connections.since(file) }

    /// Checks all connections, at every tick.
    mutating func check() throws(SystemError) {
        let limits = context.limits
        assert(
            isBalanced,
            "\(heldBytes) bytes and \(parkedCount) waits are not those of the connections")
        dripping = nil
        while let file = connections.oldestMute, waited(file) > limits.head { cutOff(file) }
        while let file = connections.oldestIdle, waited(file) > limits.keepAlive {
            context.counters.timedOut.add()
            endIdle(file)
        }
        for connection in Array(modern.values) where modern[connection.file] === connection {
            check(connection)
        }
        for connection in Array(busy.values) where busy[connection.file] === connection {
            switch connection.verdict(transport(connection), at: now, limits) {
            case .stays: break
            case .headIsTooSlow: timeOut(connection, .tooSlow)
            case .bodyIsTooSlow: timeOut(connection, .bodyTooSlow)
            case .aborts(isTimeOut: true): cutOff(connection.file)
            case .aborts(isTimeOut: false): end(connection.file)
            }
        }
        let waits = !isAccepting && stoppingSince == nil
        if waits, context.budget.isFull, isAwaited { context.budget.noteShortage() }
        if shortages != context.budget.shortages {
            shortages = context.budget.shortages
            // Below the limit something else has taken descriptors that were meant for connections.
            closeIdle(atLeast: context.budget.isFull ? 0 : 1)
        }
        if waits, !context.budget.isFull { try startAccepting() }
        answers.check()
    }

    /// Whether the sums are those of the connections, and each connection is open.
    private var isBalanced: Bool {
        let parked = busy.values.count { if case .parked = $0.state { true } else { false } }
        return heldBytes == busy.values.reduce(0) { $0 + $1.inbound.count } && parkedCount == parked
            && busy.allSatisfy { connections.contains($0) && connections.number($0) == $1.number }
            && modern.keys.allSatisfy { connections.contains($0) && busy[$0] == nil }
    }

    private mutating func timeOut(_ connection: Connection, _ refusal: RequestRefusal) {
        // A response that has begun can't become another one.
        if connection.exchange?.hasBegun == true { return cutOff(connection.file) }
        context.counters.timedOut.add()
        refuse(refusal, connection, start: connection.inbound.prefix(Self.loggedBytes))
    }

    /// Closes the connections without a response under way. Returns whether there are others, for
    /// which a stop waits.
    mutating func continuesStopping() -> Bool {
        if isAccepting { stopAccepting() }
        let since = stoppingSince ?? now
        let isFirst = stoppingSince == nil
        stoppingSince = since
        for file in connections.all where busy[file] == nil && modern[file] == nil { end(file) }
        for connection in Array(modern.values) { quiesce(connection) }
        for connection in Array(busy.values) {
            switch connection.state {
            case .open:
                if connection.output.isEmpty {
                    end(connection.file)
                } else {
                    setState(connection, .ending(lingers: !connection.inbound.isEmpty))
                }
            case .parked: if now - since > Self.maxStopping { end(connection.file) }
            case .answering(let exchange): exchange.closes = true
            case .dropping: if isFirst { linger(connection) }
            case .ending, .lingering: break
            }
        }
        return !busy.isEmpty || !modern.isEmpty
    }
}
