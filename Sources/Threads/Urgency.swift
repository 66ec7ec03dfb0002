import Synchronization

/// Whether a client waits for work. Work that no client waits for, such as that of a run, starts after all
/// other work of its queue: transfers of a host, renders of a lane. It is raised once a client joins. Any
/// thread.
package final class Urgency: Sendable {
    /// Of the current task's work; nil if a client waits for it.
    @TaskLocal package static var current: Urgency?

    private struct State {
        var isRaised = false
        var raised: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    /// Of work that no client waits for yet.
    package init() {}

    package var isRaised: Bool { state.withLock(\.isRaised) }

    /// A client waits for it from now on.
    package func raise() {
        let raised = state.withLock { state in
            state.isRaised = true
            defer { state.raised = [] }
            return state.raised
        }
        assert(isRaised, "raised work is not urgent")
        for call in raised { call() }
    }

    /// Calls `raised` once it is raised, at once if it is already.
    package func onRaise(_ raised: @escaping @Sendable () -> Void) {
        let isRaised = state.withLock { state in
            if !state.isRaised { state.raised.append(raised) }
            return state.isRaised
        }
        if isRaised { raised() }
    }

    /// Other work waits for this work, too, and so does the client of that work.
    ///
    /// - Parameter other: nil if a client waits for the other work.
    package func join(_ other: Urgency?) {
        guard let other else { return raise() }
        if other !== self { other.onRaise { [self] in raise() } }
    }
}
