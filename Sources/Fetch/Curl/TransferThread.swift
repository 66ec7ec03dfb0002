import Threads

/// The async interface of the network thread. Owns the thread, which ends with this object.
final class TransferThread: Sendable {
    private let mailbox: Mailbox
    private let end = Latch<Void>()

    init(_ configuration: FetchConfiguration) throws(FetchError) {
        let wakeup = try Wakeup()
        mailbox = Mailbox(wakeup: wakeup)
        let loop = try TransferLoop(configuration, mailbox: mailbox, wakeup: wakeup)
        do {
            // Its connections are closed before the end is announced.
            try SystemThread.start("fetch", ended: { [end] in end.set(()) }) { loop.run() }
        } catch {
            throw .configuration(reason: "no thread (\(error.reason))")
        }
    }

    deinit {
        mailbox.close()
    }

    /// Runs one transfer as soon as its host has a slot. Canceling the task aborts the transfer.
    func run(_ transfer: Transfer) async -> TransferResult {
        let ticket = mailbox.nextTicket()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                post(Job(ticket: ticket, work: .transfer(transfer, waiter)))
            }
        } onCancel: {
            mailbox.cancel(ticket)
        }
    }

    /// Returns `nil` after the duration, or the reason why the pause ended earlier.
    func pause(for duration: Duration) async -> TransferFailure? {
        let ticket = mailbox.nextTicket()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                post(Job(ticket: ticket, work: .pause(duration, waiter)))
            }
        } onCancel: {
            mailbox.cancel(ticket)
        }
    }

    /// Returns the state of the hosts; empty if the thread has ended.
    func hosts() async -> [HostState] {
        await withCheckedContinuation { waiter in
            let job = Job(ticket: mailbox.nextTicket(), work: .look(waiter))
            if !mailbox.post(job) { job.fail(.stopped) }
        }
    }

    /// Takes the policies of hosts from another configuration. Returns at once.
    func change(_ configuration: FetchConfiguration) {
        // A thread that has ended starts no transfer.
        _ = mailbox.post(Job(ticket: mailbox.nextTicket(), work: .change(configuration)))
    }

    /// Fails all work with ``TransferFailure/stopped`` and waits until the thread ends. Idempotent.
    func stop() async {
        mailbox.close()
        await end.value()
    }

    private func post(_ job: Job) {
        // The thread could finish the job before a cancellation reached it.
        guard !Task.isCancelled else { return job.fail(.canceled) }
        guard mailbox.post(job) else { return job.fail(.stopped) }
        // A cancellation between the two checks found no job to cancel.
        if Task.isCancelled { mailbox.cancel(job.ticket) }
    }
}
