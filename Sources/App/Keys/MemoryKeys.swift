import Memory
import Serve

extension ConfigurationKey {
    static let memory: [Self] = [
        .share(
            "memory.budget", \.memory.budget, settled: \.memory.settledBudget,
            (160 << 20)...(1 << 44),
            "Memory of the service and its child processes; auto is a quarter of the machine's, or of "
                + "its control group's limit, and at least 512MiB. imaging.memory, memory.originals, "
                + "memory.responses, cache.memory, cache.unsaved and imaging.idleChildren are shares "
                + "of it: what is not set divides what the others leave."),
        .share(
            "memory.originals", \.memory.shares.originals, settled: \.memory.originals,
            (16 << 20)...(1 << 42),
            "Originals in flight: being received, waiting for a render, being rendered. What finds no "
                + "room waits. A fifth is kept for small ones."),
        .share(
            "memory.responses", \.memory.shares.responses, settled: \.server.tuning.responseBytes,
            (4 << 20)...(1 << 42),
            "Large responses under way, for clients that read slowly; originals are sent from disk in "
                + "pieces."),
    ]
}
