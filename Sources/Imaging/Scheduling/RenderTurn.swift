/// What a render gets when it starts.
struct RenderTurn: Sendable {
    /// Time in the queue.
    let queued: Duration
    let lane: RenderLane
    /// How many threads it may use, its own among them.
    let threads: Int
}
