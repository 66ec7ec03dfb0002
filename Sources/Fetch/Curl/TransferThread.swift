/// The async door to the network thread. Owns the thread: it ends with this object.
final class TransferThread: Sendable {
    private let mailbox: Mailbox
    private let end: ThreadEnd

    init(_ configuration: FetchConfiguration) throws(FetchError) {
        let wakeup = try Wakeup()
        mailbox = Mailbox(wakeup: wakeup)
        end = ThreadEnd()
        let loop = try TransferLoop(configuration, mailbox: mailbox, wakeup: wakeup)
        try ThreadStart(loop: loop, end: end).launch()
    }

    deinit {
        mailbox.close()
    }

    /// Runs one transfer when its host has a slot. Cancelling the task aborts it.
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

    /// `nil` after that time; else why it ended earlier.
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

    /// How the hosts stand; none where the thread has ended.
    func hosts() async -> [HostState] {
        await withCheckedContinuation { waiter in
            let job = Job(ticket: mailbox.nextTicket(), work: .look(waiter))
            if !mailbox.post(job) { job.fail(.stopped) }
        }
    }

    /// Ends everything with ``TransferFailure/stopped`` and waits for the thread's end. Idempotent.
    func stop() async {
        mailbox.close()
        await end.wait()
    }

    private func post(_ job: Job) {
        // It could be done before it is taken back.
        guard !Task.isCancelled else { return job.fail(.cancelled) }
        guard mailbox.post(job) else { return job.fail(.stopped) }
        // One between the two found nothing to cancel.
        if Task.isCancelled { mailbox.cancel(job.ticket) }
    }
}
