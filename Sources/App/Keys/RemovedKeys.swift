import Pipeline
import Serve
import Store

extension ConfigurationKey {
    /// Returns what became of a key of an earlier version, with the bound that holds now.
    static func successor(of path: String, in settings: Settings) -> String? {
        if let share = shares[path] {
            return "It is \(SizeText.print(settings[keyPath: share])), a share of memory.budget."
        }
        return removed[path]
    }

    /// Keys of earlier versions that set nothing any more, with the bound that holds now. They are accepted
    /// until the next major version, with a warning.
    static let removed = [
        "cache.forgetAfter":
            "Documents, failures and items without pictures stay for 7d after they expired.",
        "cache.maxPinned":
            "Thumbnails of pinned items and favorites may take half of cache.budget.",
        "cache.scrubRate":
            "The service reads 1MiB a second in the background to find damaged blobs.",
        "catalog.pagesInMemory":
            "Catalogs' pages and items have a share of memory.budget: a thirty-second, at least 32MiB.",
        "catalog.patience": "A client waits 5s for a new page while an old one is stored.",
        "cdn.purgeAttempts": "A purge is tried 10 times.",
        "cdn.purgeBatch": "One request or call has 30 tags at most.",
        "cdn.purgeTimeout": "One attempt takes 10s at most.",
        "favorites.lookupsPerMinute":
            "30 favorites without details are looked up at their source per minute.",
        "favorites.max": "There may be 1000 favorites.",
        "fetch.attempts": "A request is tried 4 times.",
        "fetch.baseDelay":
            "The first pause between attempts takes 250ms at most, and the bound doubles each time.",
        "fetch.connectTimeout":
            "Name look-up, connection and TLS handshake take 5s together at most.",
        "fetch.lowSpeedLimit": slowTransfer,
        "fetch.lowSpeedTime": slowTransfer,
        "fetch.maxDelay": "A random pause between attempts takes 1s at most.",
        "fetch.maxRetryAfter": "A Retry-After over 1m ends the retries.",
        "fetch.maxTransfers":
            "64 transfers run at the same time; fetch.hostConcurrency and a source's hosts limit those to one host.",
        "freshness.staleIfError":
            "Clients may show a stale picture for 7d while the service fails.",
        "freshness.staleWhileRevalidate":
            "Clients may show a stale picture for 24h while they revalidate it.",
        "idle.formats":
            "The service makes no formats when it is idle; use --formats in an entry of warm.jobs.",
        "iiif.pixelsPerMinute":
            "600 million pixels a minute are resampled for parts of one picture.",
        "iiif.waiting": "256 parts of pictures wait for a render thread at most.",
        "imaging.childDeadline": renderDeadline,
        "imaging.childDeadlinePerMegapixel": renderDeadline,
        "imaging.childJobs": "A child process is replaced after 500 pictures.",
        "imaging.childMemory": "A child process may take all of imaging.memory.",
        "imaging.deadline": renderDeadline,
        "imaging.idleChildren":
            "One idle child process per 160MiB of memory.budget is kept, 8 at most.",
        "imaging.isolate": "All pictures are rendered in child processes.",
        "imaging.maxSide": "An original may have 65535 pixels a side.",
        "imaging.pngCompression": "PNG is compressed at level 3 of zlib.",
        "imaging.queueMemory":
            "Originals that are queued for a render may take all memory for originals.",
        "imaging.webpEffort": "WebP is made by method 2 of libwebp.",
        "load.lookups": "64 catalog pages and items are looked up at the same time.",
        "load.misses": misses,
        "load.waitingLookups": "256 look-ups wait at most.",
        "load.waitingMisses": "256 misses wait at most.",
        "load.waitingRequests": "10000 requests wait for pictures at most.",
        "load.waitingWalks": "256 misses wait at most.",
        "load.walks": misses,
        "placeholder.background": drawnPlaceholder,
        "placeholder.foreground": drawnPlaceholder,
        "s3.concurrency": "64 transfers to the store run at the same time.",
        "s3.maxWaiting": "100000 items wait for their upload at most.",
        "s3.patience": "A request waits for the store for 1s at most.",
        "s3.timeout": "One attempt of a transfer takes 20s at most.",
        "s3.uploads": "4 items are uploaded in the background at the same time.",
        "server.backlog": "1024 connections wait until they are accepted.",
        "server.hitPrecedence": "The service no longer asks for real-time scheduling.",
        "server.lingerSize": "64KiB of a request are dropped after its response.",
        "server.lingerTimeout":
            "The rest of a request is dropped for 2s after its response, then the connection closes.",
        "server.maxTargetSize": "A path and its query may have 8KiB.",
        "server.minBodyRate":
            "A body that takes longer than server.headerTimeout must bring 1KiB a second.",
        "sheet.background": "Contact sheets have the background #f4f5f7.",
        "sheet.maxPixels": "A contact sheet has 16 million pixels at most.",
        "watchedDirectories":
            "Half of the directories that fs.inotify.max_user_watches allows are watched, 32768 at most.",
    ]

    private static let drawnPlaceholder =
        "The placeholder is drawn in #a4afbd on #e0e5eb; placeholder.file names another picture."

    private static let misses = "64 misses are processed at the same time."

    private static let renderDeadline =
        "A render may take 1500ms of processor time, and 400ms more for each megapixel."

    private static let slowTransfer =
        "A transfer times out if it is slower than 1KiB a second for 10s."

    /// Sizes that were keys and are shares of the memory budget.
    static let shares: [String: Place<Int>] = [
        "cache.unsaved": \.store.unsavedBytes, "memory.catalogs": \.pipeline.catalogBytes,
        "memory.originals": \.pipeline.originalBytes,
        "memory.responses": \.server.responseBytes,
    ]

    /// The paths of all removed keys.
    static let removedPaths = Set(removed.keys).union(shares.keys)
}
