import Memory
import Pipeline

extension ConfigurationKey {
    static let cache: [Self] = [
        .single(
            "cache.directory", \.cache.directory, .text("the path of a directory"),
            "Directory of the blobs and their index, created if it is missing."),
        .share(
            "cache.memory", \.memory.shares.cache, resolved: \.cache.memory, 0...(1 << 40),
            "Memory for thumbnails, so that hits need no disk. auto is a share of "
                + "memory.budget."),
        .share(
            "cache.unsaved", \.memory.shares.unsaved, resolved: \.cache.unsaved,
            (1 << 20)...(1 << 40),
            "Memory for pictures while the disk is full, read-only or locked. The oldest "
                + "are dropped first. auto is a share of memory.budget."),
    ]
}
