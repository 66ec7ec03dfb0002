/// Work for the network thread, with the continuation that receives its result.
struct Job: Sendable {
    enum Work: Sendable {
        case transfer(Transfer, CheckedContinuation<TransferResult, Never>)
        /// Returns `nil` after the duration, or the reason why the pause ended earlier.
        case pause(Duration, CheckedContinuation<TransferFailure?, Never>)
        /// Returns the state of all known hosts.
        case look(CheckedContinuation<[HostState], Never>)
        /// Takes the policies of hosts from this configuration.
        case change(FetchConfiguration)
    }

    let ticket: HostGate.Ticket
    let work: Work

    func fail(_ failure: TransferFailure) {
        switch work {
        case .transfer(_, let waiter): waiter.resume(returning: .init(outcome: .failure(failure)))
        case .pause(_, let waiter): waiter.resume(returning: failure)
        case .look(let waiter): waiter.resume(returning: [])
        case .change: break
        }
    }
}
