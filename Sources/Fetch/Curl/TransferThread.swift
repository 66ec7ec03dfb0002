import Synchronization
import Threads

/// The async interface of the network thread. Owns the thread, which ends with this object.
final class TransferThread: Sendable {
    private let mailbox: Mailbox
    private let tickets = Atomic<HostGate.Ticket>(0)
    private let end = Latch<Void>()

    init(_ configuration: FetchConfiguration) throws(FetchError.Cause) {
        mailbox = try Mailbox()
        let loop = try TransferLoop(configuration, mailbox: mailbox)
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
        let ticket = tickets.add(1, ordering: .relaxed).newValue
        // Changes nothing if the transfer hasn't come, or has ended.
        let cancel: @Sendable () -> Void = { [mailbox] in
            _ = mailbox.post { $0.end(ticket, .canceled) }
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                // The thread could finish the transfer before a cancellation reached it.
                guard !Task.isCancelled else {
                    return waiter.resume(returning: .init(outcome: .failure(.canceled)))
                }
                guard mailbox.post({ $0.accept(transfer, ticket, waiter) }) else {
                    return waiter.resume(returning: .init(outcome: .failure(.stopped)))
                }
                // A cancellation between the two checks found no transfer to cancel.
                if Task.isCancelled { cancel() }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Returns the state of the hosts; empty if the thread has ended.
    func hosts() async -> [HostState] {
        await withCheckedContinuation { waiter in
            if !mailbox.post({ waiter.resume(returning: $0.hosts) }) {
                waiter.resume(returning: [])
            }
        }
    }

    /// Takes the policies of hosts from another configuration. Returns at once.
    func change(_ configuration: FetchConfiguration) {
        // A thread that has ended starts no transfer.
        _ = mailbox.post { $0.change(configuration) }
    }

    /// Fails all transfers with ``FetchError/Cause/stopped`` and waits until the thread ends. Idempotent.
    func stop() async {
        mailbox.close()
        await end.value()
    }
}
