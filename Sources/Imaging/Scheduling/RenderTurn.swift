/// What a render gets when it starts.
struct RenderTurn: Sendable {
    /// Time in the queue.
    let queued: Duration
    let lane: RenderLane
    let allowance: ThreadAllowance
}
