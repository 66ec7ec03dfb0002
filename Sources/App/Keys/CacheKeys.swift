import Catalog
import Memory
import Pipeline
import Serve
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
        ).resolved { $0.begunLimits?.bytes.map(SizeText.rounded) ?? "auto" },
        .share(
            "cache.memory", \.memory.cache, resolved: \.pipeline.hitBytes, 0...(1 << 40),
            "Memory for thumbnails, so that hits need no disk. auto is a share of "
                + "memory.budget."),
        .single(
            "cache.maxFiles", \.store.limits.files, .automatic(.integer(1_000...1_000_000_000)),
            "Files and directories below the directory. auto is a tenth of the file system's "
                + "inodes, if their number is fixed."
        ).resolved { settings in
            settings.begunLimits.map { $0.files.map(String.init) ?? "no limit" } ?? "auto"
        },
        .single(
            "cache.minFreeDisk", \.store.limits.minFree, .automatic(.size(0...(1 << 50))),
            "Bytes of the file system that stay free for other programs; the cache shrinks for "
                + "them. auto is 5 %, at most 2GiB."
        ).resolved { $0.begunLimits?.minFree.map(SizeText.rounded) ?? "auto" },
        .single(
            "cache.durability", \.store.durability, .choice,
            "What a stored picture survives. process: a crash of the process. power: a power "
                + "cut, too, at a cost per picture; see docs/store.md."),
        .single(
            "cache.honorPrivate", \.pipeline.freshness.honorsPrivate, .bool,
            "Whether pictures with Cache-Control: private stay out of shared caches and the "
                + "shared store. false for sources that send it by mistake."),
    ]

    static let memory: [Self] = [
        .share(
            "memory.budget", \.memory.budget, resolved: \.memory.resolvedBudget,
            (160 << 20)...(1 << 44),
            "Memory of the service and its child processes, which cache.memory, imaging.memory "
                + "and everything else share. auto is a quarter of the machine's memory or of "
                + "the control group's limit, at least 512MiB.")
    ]

    static let freshness: [Self] = [
        .single(
            "freshness.originalDefault", \.pipeline.freshness.originalDefault,
            .seconds(.zero...year),
            "Freshness of an original whose origin sent no Cache-Control."),
        .single(
            "freshness.originalMin", \.pipeline.freshness.originalMin, .seconds(.zero...year),
            "Lower bound of the freshness that an origin's Cache-Control sets. A picture "
                + "is not refreshed sooner."),
        .single(
            "freshness.originalMax", \.pipeline.freshness.originalMax, .seconds(.zero...year),
            "Upper bound of the freshness that an origin's Cache-Control sets."),
        .single(
            "freshness.absent", \.pipeline.freshness.absent, .seconds(.zero...year),
            "How long \"no picture\" is remembered."),
        .single(
            "freshness.unavailable", \.pipeline.freshness.unavailable, .seconds(.zero...day),
            "How long a failure of the origin is remembered before it is tried again."),
        .single(
            "freshness.rejected", \.pipeline.freshness.rejected, .seconds(.zero...year),
            "How long an original that is not a picture, is broken or exceeds a limit is "
                + "remembered."),
    ]

    static let catalog: [Self] = [
        .single(
            "catalog.timeToLive", \.pipeline.catalog.timeToLive, .seconds(.zero...year),
            "Freshness of a catalog page, renewed when a fresh page is read again."),
        .single(
            "catalog.itemsOnDisk", \.pipeline.catalog.itemsOnDisk, .integer(0...1_000_000),
            "Items of a list, counted from its start, that are kept on disk. Later ones "
                + "are kept only in memory."),
    ]
}

extension Settings {
    /// The limits of the disk with which a start begins; nil if the file system can't be asked. Blocks.
    fileprivate var begunLimits: DiskLimits? { store.limits.begun(in: cacheDirectory) }
}
