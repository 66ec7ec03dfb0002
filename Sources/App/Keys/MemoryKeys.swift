import Memory
import Serve

extension ConfigurationKey {
    static let memory: [Self] = [
        .share(
            "memory.budget", \.memory.budget, resolved: \.memory.resolvedBudget,
            (160 << 20)...(1 << 44),
            "Memory of the service and its child processes, which cache.memory, imaging.memory "
                + "and everything else share. auto is a quarter of the machine's memory or of "
                + "the control group's limit, at least 512MiB.")
    ]
}
