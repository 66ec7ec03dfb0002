import Memory
import Pipeline

extension ConfigurationKey {
    static let cache: [Self] = [
        .single(
            "cache.directory", \.cache.directory, .text("the path of a directory"),
            "Where blobs and their index live; made where it is missing."),
        .share(
            "cache.memory", \.memory.shares.cache, settled: \.cache.memory, 0...(1 << 40),
            "Thumbnails kept in memory, so that hits need no disk; auto is a share of memory.budget."
        ),
        .share(
            "cache.unsaved", \.memory.shares.unsaved, settled: \.cache.unsaved,
            (1 << 20)...(1 << 40),
            "Pictures kept in memory while the disk is full, read-only or locked; the oldest go first. "
                + "auto is a share of memory.budget."),
    ]
}
