import Synchronization

/// What other threads ask of the network thread. Wakes it once for all that came meanwhile.
final class Mailbox: Sendable {
    struct Letters {
        var jobs: [Job] = []
        var canceled: [HostGate.Ticket] = []
        var isClosed = false
    }

    private let letters = Mutex(Letters())
    private let tickets = Atomic<HostGate.Ticket>(0)
    private let wakeup: Wakeup

    init(wakeup: Wakeup) {
        self.wakeup = wakeup
    }

    func nextTicket() -> HostGate.Ticket {
        tickets.add(1, ordering: .relaxed).newValue
    }

    /// Returns false if the mailbox is closed. The job is then not run.
    func post(_ job: Job) -> Bool {
        write { letters in
            if !letters.isClosed { letters.jobs.append(job) }
            return !letters.isClosed
        }
    }

    /// Does nothing for a job that isn't there, or not any more.
    func cancel(_ ticket: HostGate.Ticket) {
        // A closed mailbox isn't read again, and everything ends with it.
        write { letters in
            if !letters.isClosed { letters.canceled.append(ticket) }
        }
    }

    /// Has the network thread look again at what waits.
    func nudge() {
        wakeup.ring()
    }

    /// Takes no more jobs. Idempotent.
    func close() {
        write { $0.isClosed = true }
    }

    /// Everything since the last time.
    func take() -> Letters {
        letters.withLock { letters in
            defer { letters = Letters(isClosed: letters.isClosed) }
            return letters
        }
    }

    @discardableResult
    private func write<T: Sendable>(_ change: (inout Letters) -> T) -> T {
        let (result, wasSilent) = letters.withLock { letters in
            let wasSilent = letters.jobs.isEmpty && letters.canceled.isEmpty
            return (change(&letters), wasSilent)
        }
        // The first writer has woken the thread, which takes all jobs at once.
        if wasSilent { wakeup.ring() }
        return result
    }
}
