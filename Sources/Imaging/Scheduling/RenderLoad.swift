/// The current load of the render threads.
package struct RenderLoad: Sendable, Equatable {
    /// Queued renders of the quick lane that clients wait for.
    package var quickWaiting: Int
    /// Queued renders of the slow lane that clients wait for.
    package var slowWaiting: Int
    /// Queued renders of runs, which start after all others.
    package var runsWaiting: Int
    package var running: Int
    /// Running renders past their deadline that didn't stop.
    package var overdue: Int
    /// Age of the oldest running render; nil if none runs.
    package var oldest: Duration?
    /// Predicted bytes of the running renders.
    package var memory: Int
    /// `imaging.memory`.
    package var memoryLimit: Int
    /// Threads per lane.
    package var threads: Int

    /// Whether as many renders hang as can be replaced. Then the process should be replaced.
    package var isStuck: Bool { overdue >= threads }
}
