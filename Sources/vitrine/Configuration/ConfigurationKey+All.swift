import Catalog
import Fetch
import Imaging
import Memory
import Pipeline
import Serve

extension ConfigurationKey {
    /// Every setting, in the order of `config/vitrine.yaml`.
    static let all: [ConfigurationKey] =
        memory + cache + server + userData + favorites + levels + imaging + placeholder + sheet
        + fetch + freshness + catalog + load + log + credentials

    static let byPath = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0) })

    /// The keys by the names that they had before.
    static let byFormerPath = Dictionary(
        uniqueKeysWithValues: all.flatMap { key in key.formerPaths.map { ($0, key) } })

    private static let hour = Duration.seconds(3_600)
    private static let day = Duration.seconds(86_400)
    private static let year = Duration.seconds(365 * 86_400)

    private static let memory: [Self] = [
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

    private static let cache: [Self] = [
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

    private static let server: [Self] = [
        .single(
            "server.host", \.server.host, .text("a host name or an address"),
            "Address to listen on; 0.0.0.0 for every network of the machine."),
        .single(
            "server.port", \.server.port, .integer(0...65_535, zero: "takes any free port"),
            "TCP port; 0 takes any free one."),
        .single(
            "server.shutdownTimeout", \.server.shutdownTimeout, .duration(.zero...hour),
            "What requests under way get to finish after SIGTERM."),
        .single(
            "server.tlsCertificate", \.server.tlsCertificate,
            .optional(.text("the path of a PEM file")),
            "Certificate with its chain: with it the service speaks TLS only, HTTP/2 included. Read "
                + "again on SIGHUP."),
        .single(
            "server.tlsKey", \.server.tlsKey, .optional(.text("the path of a PEM file")),
            "Private key of the certificate."),
        .single(
            "server.threads", \.server.tuning.threads, .integer(0...1_024, zero: "is one per core"),
            "Event loops; 0 is one per core."),
        .single(
            "server.hitPrecedence", \.server.tuning.hitPrecedence,
            .integer(0...90, zero: "is never"),
            "Percent of a core up to which a thread that answers hits runs before everything else on "
                + "the machine (SCHED_RR), where CAP_SYS_NICE or RLIMIT_RTPRIO permits it; 0 is never."
        ),
        .single(
            "server.backlog", \.server.tuning.backlog, .integer(1...65_535),
            "Connections that the kernel keeps until they are accepted; it may keep fewer."),
        .single(
            "server.maxConnections", \.server.tuning.maxConnections, .integer(1...1_000_000),
            "Open connections; at the bound those whose clients send next to nothing are closed, then "
                + "idle ones, and new ones wait to be accepted."),
        .single(
            "server.keepAliveTimeout", \.server.tuning.keepAliveTimeout,
            .duration(.milliseconds(1)...day),
            "How long a connection may idle between requests."),
        .single(
            "server.headerTimeout", \.server.tuning.headerTimeout,
            .duration(.milliseconds(1)...hour),
            "From the first byte of a request to the end of its header; slower is answered with 408."
        ),
        .single(
            "server.bodyTimeout", \.server.tuning.bodyTimeout,
            .duration(.milliseconds(1)...hour),
            "From the first byte of a request's body to its last; slower is answered with 408."),
        .single(
            "server.minBodyRate", \.server.tuning.minBodyRate, .size(0...(1 << 30)),
            "Bytes of a request's body a second, on the mean, once it takes longer than "
                + "headerTimeout; fewer are answered with 408."),
        .single(
            "server.lingerTimeout", \.server.tuning.lingerTimeout,
            .duration(.milliseconds(1)...hour),
            "How long the rest of a request is read and dropped after its answer, so that the client "
                + "gets to read that; then its connection is closed."),
        .single(
            "server.lingerSize", \.server.tuning.maxLingerBytes, .size(0...(1 << 30)),
            "Bytes that are read and dropped then at most."),
        .single(
            "server.sendTimeout", \.server.tuning.sendTimeout,
            .duration(.milliseconds(1)...hour),
            "A client that takes less than 16 KiB of its answer in this time is cut off."),
        .single(
            "server.maxHeaderSize", \.server.tuning.maxHeaderBytes, .size((1 << 10)...(1 << 20)),
            "Request line and header fields together; more is answered with 431."),
        .single(
            "server.maxTargetSize", \.server.tuning.maxTargetBytes, .size(256...(1 << 20)),
            "Path and query; more is answered with 414."),
        .list(
            "server.hosts", \.server.tuning.hosts,
            of: .text("a host name such as pictures.example.org") { text in
                !text.isEmpty
                    && text.utf8.allSatisfy { byte in
                        byte > 0x20 && byte < 0x7F && !"/:@,[]*".utf8.contains(byte)
                    }
            },
            "Names of this service, such as those that a proxy in front passes on: favorites, the "
                + "history and /admin are for requests to these, to an address or to localhost, and "
                + "for pages of these."),
    ]

    private static let userData: [Self] = [
        .single(
            "userData", \.server.tuning.userData, .choice,
            "Who may use favorites and the search history: off is no client, open is every client, "
                + "token is clients with the admin token. auto is open where server.host is a loopback "
                + "address and no proxy is in front, and off elsewhere.")
    ]

    private static let favorites: [Self] = [
        .single(
            "favorites.max", \.favorites.max, .integer(0...100_000),
            "Favorites that are kept; one more is refused with 409."),
        .single(
            "favorites.lookupsPerMinute", \.favorites.lookupsPerMinute, .integer(0...10_000),
            "Favorites without stored details that are looked up at their source a minute, in the "
                + "background."),
    ]

    private static let levels: [Self] = [
        Self(
            path: "levels", shape: .map,
            expected: "a mapping from level names to boxes, such as m: 320x480",
            summary: "Boxes in pixels that thumbnails fit into, never cropped, never enlarged. "
                + "Only these exist.",
            print: { settings in settings.levels.map(ValueSyntax.level.print) },
            apply: { texts, settings in settings.setLevels(texts) })
    ]

    private static let imaging: [Self] = [
        .single(
            "imaging.threads", \.imaging.threads, .integer(0...1_024, zero: "is one per core"),
            "Threads for small pictures, and as many for expensive ones; 0 is one per core."),
        .share(
            "imaging.memory", \.memory.shares.imaging, settled: \.imaging.memory,
            (64 << 20)...(1 << 40),
            "Memory that renders may take together, as predicted; auto is a share of memory.budget. A "
                + "picture that needs most of it is rendered alone, one that needs more is refused. A "
                + "quarter at most is kept for small ones."),
        .single(
            "imaging.queueLimit", \.imaging.queueLimit, .integer(1...10_000_000),
            "Renders waiting, small ones and expensive ones each; one more is refused with 503."),
        .share(
            "imaging.queueMemory", \.memory.queue, settled: \.imaging.queueMemory,
            (1 << 20)...(1 << 40),
            "Bytes of originals that wait for a render, a part of memory.originals; more are refused "
                + "with 503. auto is all of it."),
        .single(
            "imaging.deadline", \.imaging.deadline, .duration(.milliseconds(100)...hour),
            "Processor time of a render in this process; the largest allowed take about 3 s."),
        .share(
            "imaging.maxBytes", \.memory.maxBytes, settled: \.imaging.maxBytes,
            (1 << 10)...(4 << 30),
            "Bytes of an original; auto is 256MiB, or four fifths of memory.originals where that is "
                + "less."),
        .single(
            "imaging.maxPixels", \.imaging.maxPixels, .integer(1...10_000_000_000),
            "Pixels of an original before decoding; the largest cameras have 102 million."),
        .single(
            "imaging.maxSide", \.imaging.maxSide, .integer(1...1_000_000),
            "Either side of an original in pixels."),
        .single(
            "imaging.maxFrames", \.imaging.maxFrames, .integer(1...10_000),
            "Frames or pages of an original; only the first is shown."),
        .single(
            "imaging.isolate", \.imaging.isolation.scope, .choice,
            "Which pictures are rendered in child processes without rights: others is all but JPEG, "
                + "PNG and WebP, which saves some processor time; none is for debugging."),
        .automatic(
            "imaging.idleChildren", \.memory.shares.idleChildren,
            settled: \.imaging.isolation.idle, 0...1_024,
            "Child processes kept for the next picture of their source, 10MiB of memory.budget each: no "
                + "child renders pictures of two sources, or of two hosts of signed URLs. auto is one "
                + "for each 160MiB of memory.budget, and 8 at most."),
        .share(
            "imaging.childMemory", \.memory.child, settled: \.imaging.isolation.memory,
            (64 << 20)...(64 << 30),
            "Memory of one child, imaging.memory at most; auto is all of it."),
        .single(
            "imaging.childJobs", \.imaging.isolation.jobs, .integer(1...1_000_000),
            "Pictures after which a child is replaced: what a library leaks goes with it."),
        .single(
            "imaging.childDeadline", \.imaging.isolation.deadline,
            .duration(.milliseconds(10)...hour),
            "Processor time of a child for a picture; on the clock four times that."),
        .single(
            "imaging.childDeadlinePerMegapixel", \.imaging.isolation.deadlinePerMegapixel,
            .duration(.zero...hour), "And so much more for each megapixel."),
        .single(
            "imaging.jpegQuality", \.imaging.jpegQuality, .integer(1...100), "Quality of JPEG."),
        .single(
            "imaging.webpQuality", \.imaging.webpQuality, .integer(1...100), "Quality of WebP."),
        .single(
            "imaging.webpEffort", \.imaging.webpEffort, .integer(0...6),
            "libwebp's method: 6 is slowest and smallest; 2 costs half of 4 for 2.7 % more bytes."),
        .single(
            "imaging.avifQuality", \.imaging.avifQuality, .integer(1...100),
            "Quality of AVIF; 50 has half the bytes of WebP at 80, 60 is as exact as that in 30 % "
                + "fewer."),
        .single(
            "imaging.avifEffort", \.imaging.avifEffort, .integer(0...9),
            "libaom's effort: 9 is slowest and smallest; 4 costs nine times 1 for 2 % fewer bytes."),
        .single(
            "imaging.pngCompression", \.imaging.pngCompression, .integer(0...9),
            "zlib's level: 9 is slowest and smallest; 3 costs a third of 6 for 3 % more bytes."),
        Self(
            path: "imaging.perLevel", shape: .map, expected: Settings.perLevelExpectation,
            summary: "Any of the six settings above for one level alone, by the level's name: "
                + "{xs.webpQuality: 75}. A changed setting renders anew only what it concerns.",
            print: { settings in settings.perLevelTexts },
            apply: { texts, settings in settings.setPerLevel(texts) }),
        .single(
            "imaging.background", \.imaging.background, .colour,
            "What transparent pictures are flattened on where the format has no alpha."),
    ]

    private static let placeholder: [Self] = [
        .single(
            "placeholder.status", \.placeholder.status, .choice,
            "Status sent with a placeholder: natural is the true one (404, 415, 502, 504), 200 is "
                + "for clients that show no picture otherwise."),
        .single(
            "placeholder.file", \.placeholder.file, .optional(.text("the path of a picture")),
            "Picture shown where there is none, in any format that is read; without one, it is "
                + "drawn."),
        .single(
            "placeholder.background", \.imaging.placeholder.background, .colour,
            "Background of the drawn one."),
        .single(
            "placeholder.foreground", \.imaging.placeholder.foreground, .colour,
            "Lines of the drawn one."),
    ]

    private static let sheet: [Self] = [
        .single(
            "sheet.maxPixels", \.imaging.sheet.maxPixels, .integer(10_000...268_000_000),
            "Pixels of a contact sheet; 16 million hold 250 thumbnails of 160x240, and take 48 MB "
                + "of memory while they are drawn."),
        .single(
            "sheet.background", \.imaging.sheet.background, .colour,
            "Behind and between the pictures of a contact sheet."),
    ]

    private static let fetch: [Self] = [
        .single(
            "fetch.userAgent", \.fetch.userAgent,
            .text("text without line breaks") { text in
                !text.isEmpty && text.utf8.allSatisfy { (0x20..<0x7f).contains($0) }
            },
            "Tells origins who asks; add how to reach you, some refuse anonymous clients."),
        .single(
            "fetch.connectTimeout", \.fetch.connectTimeout,
            .duration(.milliseconds(1)...(.seconds(600))),
            "Name look-up, connection and TLS handshake."),
        .single(
            "fetch.lowSpeedLimit", \.fetch.lowSpeedLimit, .size(0...(1 << 30)),
            "An origin that sends less than this a second, for as long as lowSpeedTime, is stuck."),
        .single(
            "fetch.lowSpeedTime", \.fetch.lowSpeedTime, .duration(.seconds(1)...hour),
            "See lowSpeedLimit."),
        .single(
            "fetch.totalTimeout", \.fetch.totalTimeout, .duration(.milliseconds(1)...day),
            "One attempt, from start to last byte."),
        .single(
            "fetch.maxRedirects", \.fetch.maxRedirects, .integer(0...50), "Redirects followed."),
        .single(
            "fetch.maxTransfers", \.fetch.maxTransfers, .integer(1...10_000),
            "Transfers under way at once, over all hosts."),
        .single(
            "fetch.hostConcurrency", \.fetch.defaultHost.maxConcurrent, .integer(1...1_000),
            "Transfers under way at once to a host that has no profile of its own."),
        .single(
            "fetch.attempts", \.fetch.retry.attempts, .integer(1...20),
            "Tries in all, the first included."),
        .single(
            "fetch.baseDelay", \.fetch.retry.baseDelay, .duration(.zero...hour),
            "Upper edge of the first pause between tries; it doubles each time, and the pause is "
                + "drawn evenly from zero."),
        .single(
            "fetch.maxDelay", \.fetch.retry.maxDelay, .duration(.zero...day),
            "Upper edge of any pause."),
        .single(
            "fetch.maxRetryAfter", \.fetch.retry.maxRetryAfter, .duration(.zero...day),
            "A longer Retry-After ends the tries."),
        .list(
            "fetch.connectTo", \.fetch.connectTo,
            of: .text("HOST:PORT:HOST:PORT", where: HostMapping.isValid),
            "HOST:PORT:HOST:PORT connects to the second pair where the first is asked for; the "
                + "address reached is still checked."),
        .single(
            "fetch.caFile", \.fetch.caFile, .optional(.text("the path of a PEM file")),
            "Certificates trusted instead of the system's."),
        .single(
            "fetch.proxy", \.fetch.proxy,
            .optional(
                .text("a URL such as http://proxy.example:3128", where: ProxyURL.isValid)),
            "Proxy for every transfer. http_proxy and its kin are not read."
        ).hidingUserInfo(),
        .list(
            "fetch.allowNetworks", \.fetch.allowedNetworks,
            of: ValueSyntax(
                expected: "a network such as 10.0.0.0/8 or fd00::/8",
                parse: { Network($0) }, print: { $0.description }),
            "Networks that may be reached although they are not public."),
    ]

    private static let freshness: [Self] = [
        .single(
            "freshness.originalDefault", \.freshness.originalDefault, .duration(.zero...year),
            "Life of an original whose origin sent no Cache-Control."),
        .single(
            "freshness.originalMin", \.freshness.originalMin, .duration(.zero...year),
            "Shortest life that an origin's Cache-Control can give; a picture is not asked for again "
                + "sooner."),
        .single(
            "freshness.originalMax", \.freshness.originalMax, .duration(.zero...year),
            "Longest life that an origin's Cache-Control can give."),
        .single(
            "freshness.absent", \.freshness.absent, .duration(.zero...year),
            "How long it counts that the source has no picture."),
        .single(
            "freshness.unavailable", \.freshness.unavailable, .duration(.zero...day),
            "How long an origin that could not be reached, or failed, is left alone."),
        .single(
            "freshness.rejected", \.freshness.rejected, .duration(.zero...year),
            "How long an original that was no picture, broken or over a limit is not tried again."),
        .single(
            "freshness.staleWhileRevalidate", \.freshness.staleWhileRevalidate,
            .duration(.zero...year),
            "How long past its life clients may show a picture while they ask again (RFC 5861)."),
        .single(
            "freshness.staleIfError", \.freshness.staleIfError, .duration(.zero...year),
            "How long past its life clients may show a picture while the service fails (RFC 5861)."),
    ]

    private static let catalog: [Self] = [
        .single(
            "catalog.timeToLive", \.catalog.policy.timeToLive, .seconds(.zero...year),
            "Life of a catalogue page; renewed by as much when a fresh page is read again."),
        .single(
            "catalog.patience", \.catalog.policy.patience, .seconds(.zero...hour),
            "How long a client waits for a new page while an old one is stored; then it gets the old "
                + "one."),
        .single(
            "catalog.itemsOnDisk", \.catalog.policy.itemsOnDisk, .integer(0...1_000_000),
            "Items of a list, counted from its start, that are kept on disk; later ones only in "
                + "memory."),
        .single(
            "catalog.pagesInMemory", \.catalog.pagesInMemory, .integer(0...1_000_000),
            "Catalogue pages kept in memory."),
    ]

    private static let load: [Self] = [
        .single(
            "load.misses", \.load.misses, .integer(1...10_000),
            "Cache misses processed at the same time."
        ).formerly("load.walks"),
        .single(
            "load.waitingMisses", \.load.waitingMisses, .integer(0...1_000_000),
            "Misses that wait for their host or for a place under load.misses. When this queue is "
                + "full, the source and client with most waiting are refused with 503 and "
                + "Retry-After."
        ).formerly("load.waitingWalks"),
        .single(
            "load.waitingRequests", \.load.waitingRequests, .integer(1...10_000_000),
            "Requests that wait for pictures, however many want the same."),
        .single(
            "load.lookups", \.load.lookups, .integer(1...10_000),
            "Catalogue pages and items that requests have looked up at once."),
        .single(
            "load.waitingLookups", \.load.waitingLookups, .integer(0...1_000_000),
            "Those that wait for that. When it is full, the source and client with most of them "
                + "waiting are refused with 503 and Retry-After."),
    ]

    private static let log: [Self] = [
        .single("log.level", \.log.level, .choice, "The least severe that is written."),
        .single(
            "log.format", \.log.format, .choice,
            "text for people, json (an object a line) for machines; both to standard error."),
        .single(
            "log.access", \.log.access, .choice,
            "Which requests have a line at level info: slow is all that are no hits in memory. At "
                + "debug all have; good answers of /healthz, /readyz and /metrics only there."),
    ]

    private static let credentials: [Self] =
        secret(
            "spotify.clientID", \.credentials.spotifyClientID.value,
            file: \.credentials.spotifyClientID.file, "the client ID of a Spotify application.")
        + secret(
            "spotify.clientSecret", \.credentials.spotifyClientSecret.value,
            file: \.credentials.spotifyClientSecret.file,
            "the client secret of a Spotify application.")
        + secret(
            "tmdb.token", \.credentials.tmdbToken.value, file: \.credentials.tmdbToken.file,
            "the API read access token of TMDB.")
        + secret(
            "admin.token", \.credentials.adminToken.value, file: \.credentials.adminToken.file,
            "the bearer token of /admin, of 16 bytes or more; without one, /admin is refused.")
        + [
            .list(
                "url.hosts", \.url.hosts,
                of: ValueSyntax(
                    expected: "a host name such as img.example.org or *.example.org",
                    parse: { $0.isEmpty || $0.contains("/") ? nil : HostPattern($0) },
                    print: { $0.description }),
                "Hosts that signed URLs may lead to; none is every public host.")
        ]
        + secret(
            "url.keys", \.credentials.urlKeys.value, file: \.credentials.urlKeys.file,
            "the keys of /t/…/url/…, of 16 bytes or more, with commas between: the first one signs, "
                + "all are honoured.")
}
