import Memory

/// The network thread's loop: takes jobs, starts what the gate permits, and finishes what is done.
///
/// Everything here belongs to that thread. Only the mailbox is shared.
final class TransferLoop {
    private typealias Instant = ContinuousClock.Instant

    private struct Waiting {
        var job: Job
        var transfer: Transfer
        var waiter: CheckedContinuation<TransferResult, Never>
        var since: Instant
    }

    private struct Running {
        var waiting: Waiting
        var easy: CurlEasy
        var since: Instant
    }

    private let mailbox: Mailbox
    private let poller: Poller
    private let settings: CurlSettings
    private let maxIdleConnections: Int
    private let maxRetryAfter: Duration
    private var multi: CurlMulti
    private var gate: HostGate
    private var waiting: [HostGate.Ticket: Waiting] = [:]
    private var running: [HostGate.Ticket: Running] = [:]
    private var pausing: [HostGate.Ticket: Job] = [:]
    private var pauses = Pauses()
    /// Idle handles, at most as many as ran at the same time.
    private var spare: [CurlEasy] = []
    private var gateOpens: Instant?
    private let report: @Sendable (HostEvent) -> Void

    init(_ configuration: FetchConfiguration, mailbox: Mailbox, wakeup: Wakeup) throws(FetchError) {
        self.mailbox = mailbox
        poller = try Poller(wakeup: wakeup)
        settings = try CurlSettings(configuration)
        // Twice the number of transfers, because closing one host's connections for another's costs
        // a handshake each time.
        maxIdleConnections = max(1, configuration.maxTransfers) * 2
        maxRetryAfter = configuration.retry.maxRetryAfter
        multi = try CurlMulti(poller: poller, maxIdleConnections: maxIdleConnections)
        gate = HostGate(configuration)
        report = configuration.report
    }

    /// Returns when the mailbox is closed and no transfer runs.
    func run() {
        while true {
            let rang = multi.turn(until: [gateOpens, pauses.next].compactMap { $0 }.min())
            reap()
            if multi.isBroken { rebuild() }
            if rang {
                let letters = mailbox.take()
                letters.jobs.forEach(accept)
                letters.canceled.forEach { end($0, .canceled) }
                if letters.isClosed { return endAll() }
            }
            wakePausing()
            admit()
            // Run now, because an added transfer waits for the timer, not for a socket.
            multi.runDue()
            // A transfer that ended in that call frees a slot without an event.
            if reap() { gateOpens = .now }
        }
    }

    private func accept(_ job: Job) {
        switch job.work {
        case .transfer(let transfer, let waiter):
            waiting[job.ticket] = Waiting(
                job: job, transfer: transfer, waiter: waiter, since: .now)
            gate.enqueue(
                job.ticket, host: transfer.target.host, share: transfer.client,
                isBounded: transfer.permit != nil, urgency: transfer.urgency)
            StateChange.tell()
        case .pause(let duration, _):
            pausing[job.ticket] = job
            pauses.add(job.ticket, until: .now.advanced(by: duration))
        case .change(let configuration):
            gate.change { configuration.policy(of: $0) }
        case .look(let waiter):
            waiter.resume(returning: gate.states(at: .now))
        }
    }

    private func wakePausing() {
        guard pauses.next != nil else { return }
        let now = Instant.now
        while let ticket = pauses.popDue(at: now) {
            if case .pause(_, let waiter) = pausing.removeValue(forKey: ticket)?.work {
                waiter.resume(returning: nil)
            }
        }
    }

    private func admit() {
        let now = Instant.now
        let turn = gate.turn(at: now) { [mailbox, waiting] ticket in
            guard let permit = waiting[ticket]?.transfer.permit else { return true }
            return permit.take { mailbox.nudge() }
        }
        gateOpens = turn.lookAgain
        for ticket in turn.start {
            if let next = waiting.removeValue(forKey: ticket) { start(next, at: now) }
        }
        for refusal in turn.refused {
            waiting.removeValue(forKey: refusal.ticket)?.job.fail(.resting(refusal.until - now))
        }
    }

    private func start(_ next: Waiting, at now: Instant) {
        guard let easy = spare.popLast() ?? CurlEasy() else {
            return cannotStart(next, .configuration(reason: "libcurl has no memory for a handle"))
        }
        do throws(TransferFailure) {
            try easy.prepare(next.transfer, settings)
        } catch {
            return cannotStart(next, error)
        }
        easy.ticket = next.job.ticket
        guard multi.add(easy) else {
            return cannotStart(next, .configuration(reason: "libcurl doesn't take the transfer"))
        }
        running[next.job.ticket] = Running(waiting: next, easy: easy, since: now)
    }

    private func cannotStart(_ next: Waiting, _ failure: TransferFailure) {
        gate.finish(next.job.ticket, host: next.transfer.target.host, nil, at: .now)
        next.job.fail(failure)
    }

    /// Delivers results of ended transfers. Returns whether any ended.
    @discardableResult
    private func reap() -> Bool {
        var any = false
        while let (easy, code) = multi.nextDone() {
            any = true
            multi.remove(easy)
            guard let run = running.removeValue(forKey: easy.ticket) else { continue }
            var result = easy.conclude(code)
            let now = Instant.now
            result.elapsed = now - run.since
            result.timings.queued = run.since - run.waiting.since
            spare.append(easy)
            let timings = result.timings
            let body = timings.startTransfer > .zero ? timings.total - timings.startTransfer : .zero
            let event = gate.finish(
                run.waiting.job.ticket, host: run.waiting.transfer.target.host,
                result.report(maxHold: maxRetryAfter), arrivedBy: now - max(.zero, body), at: now)
            if let event { report(event) }
            run.waiting.waiter.resume(returning: result)
        }
        return any
    }

    private func end(_ ticket: HostGate.Ticket, _ failure: TransferFailure) {
        if let run = running.removeValue(forKey: ticket) {
            multi.remove(run.easy)
            gate.finish(ticket, host: run.waiting.transfer.target.host, nil, at: .now)
            run.waiting.job.fail(failure)
        } else if let next = waiting.removeValue(forKey: ticket) {
            _ = gate.withdraw(ticket, host: next.transfer.target.host)
            next.job.fail(failure)
        } else if let job = pausing.removeValue(forKey: ticket) {
            pauses.remove(ticket)
            job.fail(failure)
        }
    }

    private func endAll() {
        for tickets in [Array(running.keys), Array(waiting.keys), Array(pausing.keys)] {
            tickets.forEach { end($0, .stopped) }
        }
    }

    /// Starts over with a new multi handle. Transfers that ran may be retried.
    private func rebuild() {
        for ticket in Array(running.keys) {
            end(ticket, .truncated(reason: "libcurl lost track of its transfers"))
        }
        do throws(FetchError) {
            multi = try CurlMulti(poller: poller, maxIdleConnections: maxIdleConnections)
        } catch {
            // Without memory for a handle no transfer can run, so all jobs fail.
            mailbox.close()
        }
    }
}
