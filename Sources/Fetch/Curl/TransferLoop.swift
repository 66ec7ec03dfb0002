import CCurl
import Glibc
import Synchronization
import Threads

/// The network thread's loop: takes transfers, starts what the gate permits, and finishes what is done.
///
/// Everything here belongs to that thread. Only the mailbox is shared.
final class TransferLoop {
    private typealias Instant = ContinuousClock.Instant

    /// A transfer and the task that waits for it.
    private struct Job {
        let transfer: Transfer
        let waiter: CheckedContinuation<TransferResult, Never>
        let queued = Instant.now
        /// Its handle and its start, once it runs.
        var run: (easy: CurlEasy, since: Instant)?

        var host: String { transfer.target.host }

        func fail(_ cause: FetchError.Cause) {
            waiter.resume(returning: TransferResult(outcome: .failure(cause)))
        }
    }

    private let mailbox: Mailbox
    private let configuration: FetchConfiguration
    private let connectTo: StringList
    private var multi: CurlMulti
    private var gate: HostGate
    private var jobs: [HostGate.Ticket: Job] = [:]
    /// Idle handles, at most as many as ran at the same time.
    private var spare: [CurlEasy] = []
    private var gateOpens: Instant?

    init(_ configuration: FetchConfiguration, mailbox: Mailbox) throws(FetchError.Cause) {
        self.mailbox = mailbox
        self.configuration = configuration
        guard let connectTo = StringList(configuration.connectTo.map { Array($0.utf8) }) else {
            throw .configuration(reason: "no memory for the connect-to list")
        }
        self.connectTo = connectTo
        multi = try CurlMulti(
            maxTransfers: configuration.maxTransfers, bell: mailbox.descriptor)
        gate = HostGate(configuration)
    }

    /// Returns when the mailbox is closed and no transfer runs.
    func run() {
        while true {
            let rang = multi.turn(until: gateOpens)
            reap()
            if multi.isBroken { rebuild() }
            if rang {
                let (calls, isClosed) = mailbox.take()
                for call in calls { call(self) }
                if isClosed { return endAll(.stopped) }
            }
            admit()
            // Run now, because an added transfer waits for the timer, not for a socket.
            multi.runDue()
            // A transfer that ended in that call frees a slot without an event.
            if reap() { gateOpens = .now }
        }
    }

    func accept(
        _ transfer: Transfer, _ ticket: HostGate.Ticket,
        _ waiter: CheckedContinuation<TransferResult, Never>
    ) {
        assert(jobs[ticket] == nil, "two transfers have one ticket")
        jobs[ticket] = Job(transfer: transfer, waiter: waiter)
        gate.enqueue(
            ticket, host: transfer.target.host, share: transfer.client,
            isBounded: transfer.request.permit != nil,
            hasRoom: transfer.room?.hold != nil, urgency: transfer.request.urgency)
        StateChange.tell()
    }

    func change(_ configuration: FetchConfiguration) {
        gate.change { configuration.policy(of: $0) }
    }

    /// The state of all known hosts.
    var hosts: [HostState] { gate.states(at: .now) }

    private func admit() {
        let now = Instant.now
        let turn = gate.turn(at: now) { [mailbox, jobs] ticket in
            guard let transfer = jobs[ticket]?.transfer else { return true }
            guard transfer.room?.take(orWake: { mailbox.wake() }) ?? true else { return false }
            return transfer.request.permit?.take { mailbox.wake() } ?? true
        }
        gateOpens = turn.lookAgain
        for ticket in turn.start { start(ticket, at: now) }
        for (ticket, cause) in turn.refused { jobs.removeValue(forKey: ticket)?.fail(cause) }
    }

    private func start(_ ticket: HostGate.Ticket, at now: Instant) {
        assert(jobs[ticket] != nil, "a transfer starts that is not there")
        guard let transfer = jobs[ticket]?.transfer else { return }
        assert(jobs[ticket]?.run == nil, "a transfer starts twice")
        do throws(FetchError.Cause) {
            guard let easy = spare.popLast() ?? CurlEasy(configuration, connectTo) else {
                throw .configuration(reason: "libcurl has no memory for a handle")
            }
            try easy.prepare(transfer)
            easy.ticket = ticket
            guard multi.add(easy) else {
                throw .configuration(reason: "libcurl doesn't take the transfer")
            }
            jobs[ticket]?.run = (easy, now)
        } catch {
            end(ticket, error)
        }
    }

    /// Delivers results of ended transfers. Returns whether any ended.
    @discardableResult
    private func reap() -> Bool {
        var any = false
        while let (easy, code) = multi.nextDone() {
            any = true
            multi.remove(easy)
            guard let job = jobs.removeValue(forKey: easy.ticket), let run = job.run else {
                continue
            }
            var result = easy.conclude(code)
            let now = Instant.now
            result.elapsed = now - run.since
            result.timings.queued = run.since - job.queued
            spare.append(easy)
            let timings = result.timings
            let body = timings.startTransfer > .zero ? timings.total - timings.startTransfer : .zero
            let event = gate.finish(
                easy.ticket, host: job.host, result.report,
                arrivedBy: now - max(.zero, body), at: now)
            if let event { configuration.report(event) }
            job.waiter.resume(returning: result)
        }
        return any
    }

    /// Ends a transfer, whether it runs or waits.
    func end(_ ticket: HostGate.Ticket, _ cause: FetchError.Cause) {
        guard let job = jobs.removeValue(forKey: ticket) else { return }
        if let run = job.run { multi.remove(run.easy) }
        // What isn't queued any more has started.
        if !gate.withdraw(ticket, host: job.host) {
            gate.finish(ticket, host: job.host, nil, at: .now)
        }
        job.fail(cause)
    }

    private func endAll(_ cause: FetchError.Cause) {
        for ticket in Array(jobs.keys) { end(ticket, cause) }
    }

    /// Starts over with a new multi handle. Transfers that ran may be retried.
    private func rebuild() {
        for (ticket, job) in jobs where job.run != nil {
            end(ticket, .truncated(reason: "libcurl lost track of its transfers"))
        }
        do throws(FetchError.Cause) {
            multi = try CurlMulti(
                maxTransfers: configuration.maxTransfers, bell: mailbox.descriptor)
        } catch {
            // Without memory for a handle no transfer can run, so all jobs fail.
            mailbox.close()
        }
    }
}

/// Calls that other threads leave for the network thread. Wakes it once for all that came meanwhile.
final class Mailbox: Sendable {
    typealias Call = @Sendable (TransferLoop) -> Void

    /// Can be read when the network thread should look here or at what waits.
    let descriptor: Int32
    private let state = Mutex((calls: [Call](), isClosed: false))

    init() throws(FetchError.Cause) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else {
            throw .configuration(
                reason: "no event descriptor (\(String(cString: strerror(errno))))")
        }
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Returns false if the mailbox is closed. The call is then not made.
    func post(_ call: @escaping Call) -> Bool {
        let (isOpen, isFirst) = state.withLock { state in
            defer { if !state.isClosed { state.calls.append(call) } }
            return (!state.isClosed, state.calls.isEmpty)
        }
        // The first one has woken the thread, which takes all calls at once.
        if isOpen, isFirst { wake() }
        return isOpen
    }

    /// Takes no more calls. Idempotent.
    func close() {
        state.withLock { $0.isClosed = true }
        wake()
    }

    /// Has the network thread look again at what waits.
    func wake() {
        // Fails only if the counter is full, and then the reader wakes anyway.
        eventfd_write(descriptor, 1)
    }

    /// Returns the calls since the last time. After the end no more come.
    func take() -> (calls: [Call], isClosed: Bool) {
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
        return state.withLock { state in
            defer { state.calls = [] }
            return state
        }
    }
}
