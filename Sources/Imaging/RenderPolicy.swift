/// The bounds that renders are scheduled by.
struct RenderPolicy: Sendable {
    /// Of each lane; at least 1.
    var threads: Int
    /// Predicted bytes of all renders that run.
    var memory = 256 << 20
    /// Renders waiting in a lane.
    var queueLimit = 10_000
    /// Bytes of originals that wait, half of them in each lane.
    var queueMemory = 64 << 20
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
    /// once: a quarter, or less where there are few threads.
    func share(_ lane: RenderCost.Lane) -> Int {
        let quick = min(memory / 4, threads * RenderCost.quickPeak)
        return lane == .quick ? quick : memory - quick
    }

    /// Refuses what would wait for ever.
    func check(_ cost: RenderCost) throws(ImagingError) {
        let share = share(cost.lane)
        guard cost.peak > share else { return }
        throw .overLimit(
            reason: "to render it would take \(mebibytes(cost.peak)) of memory, and"
                + " \(mebibytes(share)) are what one may have of \(mebibytes(memory))"
                + " (imaging.memory)")
    }

    private func mebibytes(_ bytes: Int) -> String { "\((bytes + 1 << 20 - 1) >> 20) MiB" }
}
