import Memory
import Serve

extension ConfigurationKey {
    static let memory: [Self] = [
        .share(
            "memory.budget", \.memory.budget, resolved: \.memory.resolvedBudget,
            (160 << 20)...(1 << 44),
            "Memory of the service and its child processes. auto is a quarter of the "
                + "machine's memory or of the control group's limit, but at least 512MiB. "
                + "imaging.memory and cache.memory are shares of it; originals, responses, catalog "
                + "pages, unsaved pictures and idle child processes divide the rest.")
    ]
}
