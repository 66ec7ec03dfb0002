import Memory
import Pipeline
import Store

extension ConfigurationKey {
    static let cache: [Self] = [
        .single(
            "cache.directory", \.cacheDirectory, .text("the path of a directory"),
            "Directory of the blobs and their index, created if it is missing."),
        .single(
            "cache.budget", \.store.limits.bytes, .automatic(.size((32 << 20)...(1 << 50))),
            "Bytes on disk for everything below the directory. The least valuable blobs are "
                + "evicted first. auto is a tenth of the file system, at least 64MiB."
        ),
        .share(
            "cache.memory", \.memory.cache, resolved: \.pipeline.hitBytes, 0...(1 << 40),
            "Memory for thumbnails, so that hits need no disk. auto is a share of "
                + "memory.budget."),
        .single(
            "cache.maxFiles", \.store.limits.files, .automatic(.integer(1_000...1_000_000_000)),
            "Files and directories below the directory. auto is a tenth of the file system's "
                + "inodes, if their number is fixed."),
        .single(
            "cache.minFreeDisk", \.store.limits.minFree, .automatic(.size(0...(1 << 50))),
            "Bytes of the file system that stay free for other programs; the cache shrinks for "
                + "them. auto is 5 %, at most 2GiB."),
        .single(
            "cache.durability", \.store.durability, .choice,
            "What a stored picture survives. process: a crash of the process. power: a power "
                + "cut, too, at a cost per picture; see docs/store.md."),
        .single(
            "cache.honorPrivate", \.pipeline.freshness.honorsPrivate, .bool,
            "Whether pictures with Cache-Control: private stay out of shared caches and the "
                + "shared store. false for sources that send it by mistake."),
    ]
}
