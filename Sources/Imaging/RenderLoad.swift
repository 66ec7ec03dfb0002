/// What the render threads are at.
package struct RenderLoad: Sendable, Equatable {
    /// Small pictures that wait for a thread or memory.
    package var quickWaiting: Int
    /// Expensive pictures that wait for a thread or memory.
    package var slowWaiting: Int
    package var running: Int
    /// Of those, how many are past their deadline and didn't stop when told to.
    package var overdue: Int
    /// How long the oldest of those that run has been running; nil where none runs.
    package var oldest: Duration?
    /// Bytes that those that run are predicted to take.
    package var memory: Int
    /// `imaging.memory`.
    package var memoryLimit: Int
    /// Of each lane.
    package var threads: Int

    package init(
        quickWaiting: Int, slowWaiting: Int, running: Int, overdue: Int, oldest: Duration?,
        memory: Int, memoryLimit: Int, threads: Int
    ) {
        self.quickWaiting = quickWaiting
        self.slowWaiting = slowWaiting
        self.running = running
        self.overdue = overdue
        self.oldest = oldest
        self.memory = memory
        self.memoryLimit = memoryLimit
        self.threads = threads
    }

    /// Whether as many hang as can be replaced: then the process should be.
    package var isStuck: Bool { overdue >= threads }
}
