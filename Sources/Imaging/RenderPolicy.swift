/// The bounds that renders are scheduled by.
struct RenderPolicy: Sendable {
    /// Of each lane; at least 1.
    var threads: Int
    /// Predicted bytes of all renders that run.
    var memory = 512 << 20
    /// Renders waiting in a lane.
    var queueLimit = 10_000
    /// Bytes of originals that wait, in both lanes together.
    var queueMemory = 320 << 20
    /// Processor time of a render.
    var deadline: Duration = .seconds(10)
    /// What a render gets to notice that it is over its time before its thread is given up.
    var grace: Duration = .seconds(1)
    /// On the wall a render may take so many times its processor time: others want the cores, too.
    static let patience = 4

    init(threads: Int) {
        self.threads = threads
    }

    /// - Parameter threads: none is one per core.
    init(_ configuration: ImagingConfiguration, cores: Int) {
        threads = configuration.threads > 0 ? configuration.threads : max(1, cores)
        memory = configuration.memory
        queueLimit = configuration.queueLimit
        queueMemory = configuration.queueMemory
        deadline = configuration.deadline
    }

    /// Of the budget. Quick renders have a share that slow ones can't take, so that they start at
    /// once: a quarter, or less where there are few threads. Only a slow one that needs more than its
    /// share borrows of it, when it runs without other slow ones.
    func share(_ lane: RenderCost.Lane) -> Int {
        let quick = min(memory / 4, threads * RenderCost.quickPeak)
        return lane == .quick ? quick : memory - quick
    }

    /// Refuses what would not fit alone.
    func check(_ cost: RenderCost) throws(ImagingError) {
        guard cost.peak > memory else { return }
        throw .overLimit(
            reason: "rendering it would take \(mebibytes(cost.peak)) of memory, and"
                + " \(mebibytes(memory)) are what renders may have (imaging.memory)")
    }

    private func mebibytes(_ bytes: Int) -> String {
        "\(Int.clampedSum(bytes, 1 << 20 - 1) >> 20) MiB"
    }
}
