import Memory
import Serve

extension ConfigurationKey {
    static let memory: [Self] = [
        .share(
            "memory.budget", \.memory.budget, resolved: \.memory.resolvedBudget,
            (160 << 20)...(1 << 44),
            "Memory of the service and its child processes. auto is a quarter of the "
                + "machine's memory or of the control group's limit, but at least 512MiB. "
                + "imaging.memory, memory.originals, memory.responses, memory.catalogs, "
                + "cache.memory, cache.unsaved and imaging.idleChildren are shares of it; shares "
                + "that are not set divide the rest."),
        .share(
            "memory.originals", \.memory.shares.originals, resolved: \.memory.originals,
            (16 << 20)...(1 << 42),
            "Memory for originals that are received, queued or rendered. Further downloads "
                + "wait. A fifth is reserved for small ones."),
        .share(
            "memory.responses", \.memory.shares.responses, resolved: \.server.tuning.responseBytes,
            (4 << 20)...(1 << 42),
            "Memory for large responses to clients that read slowly. Originals are sent "
                + "from disk in pieces."),
        .share(
            "memory.catalogs", \.memory.shares.catalogs, resolved: \.memory.catalogs,
            (4 << 20)...(1 << 42),
            "Memory for catalog pages, details of items and responses of the catalogs' APIs. "
                + "Set more if many clients browse far into long lists. auto is a thirty-second "
                + "of memory.budget, at least 32MiB."),
    ]
}
