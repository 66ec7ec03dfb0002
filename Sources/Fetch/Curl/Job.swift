/// Work for the network thread, and who waits for its end.
struct Job: Sendable {
    enum Work: Sendable {
        case transfer(Transfer, CheckedContinuation<TransferResult, Never>)
        /// Ends with `nil` after that time, or earlier with the reason.
        case pause(Duration, CheckedContinuation<TransferFailure?, Never>)
        /// How the hosts stand.
        case look(CheckedContinuation<[HostState], Never>)
    }

    let ticket: HostGate.Ticket
    let work: Work

    func fail(_ failure: TransferFailure) {
        switch work {
        case .transfer(_, let waiter): waiter.resume(returning: .init(outcome: .failure(failure)))
        case .pause(_, let waiter): waiter.resume(returning: failure)
        case .look(let waiter): waiter.resume(returning: [])
        }
    }
}
