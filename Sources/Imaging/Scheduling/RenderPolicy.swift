/// The limits for scheduling renders.
struct RenderPolicy: Sendable {
    /// Threads per lane; at least 1.
    var threads: Int
    /// Predicted bytes of all running renders.
    var memory = 512 << 20
    /// Queued renders per lane.
    var queueLimit = 10_000
    /// Bytes of queued originals, both lanes together.
    var queueMemory = 320 << 20
    /// Processor time of a render.
    var deadline: Duration = .seconds(10)
    /// Time that a late render gets to stop before it counts as hung.
    var grace: Duration = .seconds(1)

    init(threads: Int) {
        self.threads = threads
    }

    /// A configuration with 0 threads means one per core.
    init(_ configuration: ImagingConfiguration, cores: Int) {
        threads = configuration.threads > 0 ? configuration.threads : max(1, cores)
        memory = configuration.memory
        queueLimit = configuration.queueLimit
        queueMemory = configuration.queueMemory
        deadline = configuration.deadline
    }

    /// Returns a lane's share of the memory. Quick renders have a share that slow ones can't take,
    /// so that they start at once: a quarter, or less with few threads. Only a slow render that
    /// needs more than its share borrows from it, and runs without other slow ones.
    func share(_ lane: RenderLane) -> Int {
        let quick = min(memory / 4, threads * RenderCost.quickPeak)
        return lane == .quick ? quick : memory - quick
    }

    /// Returns the lane that a render takes. One that needs more than the share of quick renders would
    /// never start there, so it is slow.
    func lane(of cost: RenderCost) -> RenderLane {
        cost.peak > share(.quick) ? .slow : cost.lane
    }

    /// Refuses a render that would not fit alone.
    func check(_ cost: RenderCost) throws(ImagingError) {
        guard cost.peak > memory else { return }
        throw .overLimit(
            reason: "rendering it would take \(ImagingError.mebibytes(cost.peak)) of memory, and"
                + " renders may take \(ImagingError.mebibytes(memory)) (imaging.memory)")
    }
}
