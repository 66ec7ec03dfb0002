import Synchronization

/// Whether a client waits for a render. A render that no client waits for starts after all others of its
/// lane. It is raised once a client joins. Any thread.
package final class RenderUrgency: Sendable {
    private struct State {
        var isRaised = false
        var raised: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Of a render that no client waits for yet.
    package init() {}

    package var isRaised: Bool { state.withLock(\.isRaised) }

    /// A client waits for it from now on.
    package func raise() {
        let raised = state.withLock { state in
            state.isRaised = true
            defer { state.raised = nil }
            return state.raised
        }
        raised?()
    }

    /// Calls `raised` once it is raised, at once if it is already.
    func onRaise(_ raised: @escaping @Sendable () -> Void) {
        let isRaised = state.withLock { state in
            if !state.isRaised { state.raised = raised }
            return state.isRaised
        }
        if isRaised { raised() }
    }
}
