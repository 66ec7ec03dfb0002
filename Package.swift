// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target is built with the same strictness.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// What loops over pixels, hashes or mutations is optimized in debug builds, too: a test of it takes
/// twenty to a hundred times as long otherwise. Assertions stay.
let optimized: [SwiftSetting] =
    settings + [
        .unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))
    ]

/// What the gallery's page is put together of.
let galleryPage = [
    "bar.js", "deepzoom.js", "detail.js", "elements.js", "ending.js", "facts.js", "feed.js",
    "filters.js", "grid.js", "gridkeys.js", "history.js", "hold.js", "icons.js", "keysheet.js",
    "layout.js", "levels.js", "main.js", "movement.js", "order.js", "page.css", "page.html",
    "pan.js", "picture.js", "places.js", "sections.js", "service.js", "stage.js", "status.js",
    "strings.js", "strip.js", "thumbhash.js", "tile.js", "trace.js", "view.js", "zoom.js",
]

let package = Package(
    name: "vitrine",
    // Of VitrineKit. The service runs on Linux.
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [
        .library(name: "VitrineKit", targets: ["VitrineKit"]),
        .executable(name: "vitrine", targets: ["vitrine"]),
        .executable(name: "vitrine-bench", targets: ["vitrine-bench"]),
        .executable(name: "vitrine-demo", targets: ["vitrine-demo"]),
    ],
    traits: [
        .default(enabledTraits: ["NATS", "Server"]),
        .trait(
            name: "Server",
            description: "The programs. An app that uses VitrineKit turns it off: traits: []."),
        .trait(
            name: "NATS", description: "Queues of NATS JetStream, with libnats (libnats-dev)."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        // The app's half: items, lists, levels, signatures, ThumbHash. Foundation only.
        .target(name: "VitrineKit", swiftSettings: settings),

        // The C doors: one system library each, plus typed shims for what Swift can't call.
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        // TLS, certificates, hashes.
        .systemLibrary(
            name: "CCrypto", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
        // The objects of libvips, and where its headers' own are found.
        .systemLibrary(
            name: "CGObject", pkgConfig: "gobject-2.0", providers: [.apt(["libvips-dev"])]),
        // Queues of several machines. Only with the trait NATS.
        .systemLibrary(name: "CNats", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
        // Planes of JPEG and WebP, which libvips doesn't hand out.
        .systemLibrary(
            name: "CTurboJPEG", pkgConfig: "libturbojpeg",
            providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(name: "CWebP", pkgConfig: "libwebp", providers: [.apt(["libwebp-dev"])]),
        // Colors of embedded profiles.
        .systemLibrary(name: "CLCMS", pkgConfig: "lcms2", providers: [.apt(["liblcms2-dev"])]),
        // JPEG 2000 at a part of its resolution.
        .systemLibrary(
            name: "COpenJPEG", pkgConfig: "libopenjp2", providers: [.apt(["libopenjp2-7-dev"])]),
        // Content codings: of documents that are sent, and of responses.
        .systemLibrary(
            name: "CCompression", pkgConfig: "libbrotlienc",
            providers: [.apt(["libbrotli-dev", "zlib1g-dev"])]),
        // epoll, eventfd, threads and scheduling: what Glibc's module leaves out.
        .systemLibrary(name: "CLinux"),
        // Pixel kernels: resampling, turning, drawing. Optimized in debug builds too, because a
        // test that resamples with -O0 takes a hundred times as long.
        .target(
            name: "CPixels",
            cSettings: [
                .unsafeFlags([
                    "-O3", "-std=gnu11", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror",
                ])
            ]),

        // libvips, opened when a picture needs it and not linked.
        .target(
            name: "CVips", dependencies: ["CGObject"],
            cSettings: [.unsafeFlags(["-O2", "-std=gnu11", "-Wall", "-Wextra", "-Werror"])],
            // libheif calls the program's function instead of libde265's, see hevc.c.
            linkerSettings: [
                .linkedLibrary("z"),
                .unsafeFlags(["-Xlinker", "--export-dynamic-symbol=de265_decode"]),
            ]),

        // Noise for pictures that are made up, fast in debug builds too. Not linked into vitrine.
        .target(
            name: "CNoise",
            cSettings: [
                .unsafeFlags([
                    "-O3", "-std=gnu11", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror",
                ])
            ]),

        // The scheduler's affinity, which Glibc's module leaves out.
        .target(
            name: "CProcessors",
            cSettings: [.unsafeFlags(["-std=gnu11", "-Wall", "-Wextra", "-Werror"])]),

        // Sockets and scheduling for the load generator of `vitrine bench`.
        .target(
            name: "CLoad",
            cSettings: [.unsafeFlags(["-O2", "-std=gnu11", "-Wall", "-Wextra", "-Werror"])]),

        // Processes that are not trusted: starting them, giving up rights, and memory that shows nothing of
        // what it held. Without built-in functions, since a compiler would make calloc of its own parts.
        .target(
            name: "CSandbox",
            cSettings: [
                .unsafeFlags(["-O2", "-std=gnu11", "-fno-builtin", "-Wall", "-Wextra", "-Werror"])
            ]),

        // What exists and where its picture is: sources, items, candidates, catalog pages.
        .target(
            name: "Catalog",
            dependencies: [
                "Fetch", "Folders", "Hashing", "JSON", "Memory", "Objects", "Threads",
            ],
            exclude: ["README.md"],
            swiftSettings: settings),
        // A JSON value: read with limits, put together, written.
        .target(name: "JSON", swiftSettings: settings),
        // Files below a directory: opened without leaving it, listed, watched.
        .target(name: "Folders", dependencies: ["CLinux"], swiftSettings: settings),
        // Bytes from origins: libcurl's multi interface, politeness, address policy.
        .target(
            name: "Fetch",
            dependencies: [
                "CCompression", "CCurl", "Memory", "Threads",
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            exclude: ["README.md"],
            swiftSettings: settings),
        // Objects under keys that several machines share: S3, a directory.
        .target(
            name: "Objects", dependencies: ["Fetch", "Hashing", "Threads"],
            swiftSettings: settings),
        // What the machine gives: how memory is divided, bytes that are reserved before they are
        // taken, processors.
        .target(name: "Memory", dependencies: ["CProcessors", "Threads"], swiftSettings: settings),
        // Threads of the system's own, and what waits for them.
        .target(
            name: "Threads",
            dependencies: [
                "CLinux", .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: settings),
        // Counters, histograms and gauges with their help, in Prometheus' text format.
        .target(name: "Metrics", dependencies: ["Threads"], swiftSettings: settings),
        // Spans of requests, and OTLP's JSON.
        .target(name: "Traces", dependencies: ["Hashing", "JSON"], swiftSettings: settings),
        // Bytes under their SHA-256, and the index that finds them again.
        .target(
            name: "Store",
            dependencies: [
                "CLinux", "Hashing", "JSON", "Memory", "Threads",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            exclude: ["README.md"],
            swiftSettings: optimized),
        // Original → pixels → every level → encoded thumbnails.
        .target(
            name: "Imaging",
            dependencies: [
                "CLCMS", "COpenJPEG", "CPixels", "CSandbox", "CTurboJPEG", "CVips", "CWebP",
                "Memory", "Threads",
            ],
            exclude: ["README.md"],
            swiftSettings: optimized),
        // Joins all stages: the request path, coalescing, freshness, warming.
        .target(
            name: "Pipeline",
            dependencies: [
                "Catalog", "Fetch", "Folders", "Hashing", "Imaging", "Memory", "Metrics", "Objects",
                "Store", "Threads", "Traces",
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["README.md"],
            swiftSettings: settings),
        // Jobs, values and events that several machines share, on NATS servers.
        .target(
            name: "WorkQueue",
            dependencies: [
                "Threads",
                .target(name: "CNats", condition: .when(traits: ["NATS"])),
            ],
            swiftSettings: settings),
        // Workers, runs over many machines, rates and purges of all of them.
        .target(
            name: "Fleet",
            dependencies: [
                "Catalog", "Fetch", "Hashing", "Memory", "Metrics", "Pipeline", "Store", "Threads",
                "WorkQueue",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        // The engine: TLS, HTTP/1.1 and HTTP/2 on threads of its own.
        .target(
            name: "HTTP",
            dependencies: ["CCrypto", "CLinux", "CNghttp2", "Hashing", "Metrics", "Threads"],
            exclude: ["README.md"],
            swiftSettings: optimized),
        // What a path means: routes, conditional requests, problem documents.
        .target(
            name: "Serve",
            dependencies: [
                "Catalog", "CCompression", "CLinux", "Hashing", "HTTP", "Imaging", "JSON", "Memory",
                "Metrics", "Pipeline", "Store", "Threads", "Traces",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["README.md"],
            resources: galleryPage.map { .embedInCode("Gallery/Page/\($0)") },
            swiftSettings: settings),
        // SHA-256, HMAC, digests, hexadecimal.
        .target(name: "Hashing", dependencies: ["CCrypto"], swiftSettings: settings),
        // Certificates for servers on this machine, made on the spot.
        .target(name: "LoopbackTLS", dependencies: ["CCrypto"], swiftSettings: settings),
        // What the documents of the five catalogs' APIs look like: for the demo, and for tests that
        // play an API. Not linked into vitrine.
        .target(name: "PlayedAPIs", dependencies: ["JSON"], swiftSettings: settings),
        // The five catalogs played by one origin on a loopback port, with invented contents and
        // drawn pictures: for `vitrine-demo` and for tests.
        .target(
            name: "Demo",
            dependencies: [
                "CNoise", "HTTP", "Hashing", "Imaging", "JSON", "LoopbackTLS", "PlayedAPIs",
                "Threads",
                .product(name: "Logging", package: "swift-log"),
            ],
            resources: [.embedInCode("Pictures/figures.txt"), .embedInCode("Words/words.txt")],
            swiftSettings: settings),
        // The demo's own program; `vitrine demo` starts it.
        .executableTarget(
            name: "vitrine-demo",
            dependencies: [
                "Demo", "Threads",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
        // Settings, and the assembly of all modules.
        .target(
            name: "App",
            dependencies: [
                "Catalog", "CLinux", "Fetch", "Fleet", "Folders", "Hashing", "Imaging", "Memory",
                "Metrics", "Objects", "Pipeline", "Serve", "Store", "Threads", "Traces",
                "WorkQueue",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: settings),
        // What the programs for people share: options, errors, the terminal, programs that they start.
        .target(
            name: "Console",
            dependencies: [
                "App", "Catalog", "CLinux", "Fetch", "Imaging", "Memory", "Threads",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        // The executable: commands.
        .executableTarget(
            name: "vitrine",
            dependencies: [
                "App", "Catalog", "Console", "Fetch", "Fleet", "Hashing", "HTTP", "Imaging",
                "Memory",
                "Pipeline", "Serve", "Store", "Threads", "WorkQueue",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        // Benchmarks, a program of its own; `vitrine bench` becomes it.
        .executableTarget(
            name: "vitrine-bench",
            dependencies: [
                "App", "Catalog", "CLinux", "CLoad", "Console", "Fetch", "Hashing", "Imaging",
                "Memory", "Serve", "Store", "Threads",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ],
            resources: [.embedInCode("Page/page.html"), .embedInCode("Thumbnails/peers.py")],
            swiftSettings: settings),

        // What the thread sanitizer can't see by itself; empty without it.
        .target(
            name: "ThreadSanitizer", path: "Tests/ThreadSanitizer", publicHeadersPath: ".",
            cSettings: [.unsafeFlags(["-std=gnu11", "-Wall", "-Wextra", "-Werror"])]),
        // Scripted loopback origin, temporary directories, drawn fixtures, a manual clock.
        .target(
            name: "TestSupport",
            dependencies: [
                "CCrypto", "CLinux", "CNghttp2", "CNoise", "Hashing", "Imaging", "LoopbackTLS",
                "Memory", "Threads", "ThreadSanitizer",
            ],
            path: "Tests/TestSupport", swiftSettings: optimized),
        .testTarget(
            name: "VitrineKitTests", dependencies: ["TestSupport", "VitrineKit"],
            swiftSettings: settings),
        .testTarget(
            name: "MemoryTests", dependencies: ["Memory", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "HashingTests", dependencies: ["Hashing"], swiftSettings: settings),
        .testTarget(name: "JSONTests", dependencies: ["JSON"], swiftSettings: settings),
        .testTarget(
            name: "ThreadsTests", dependencies: ["TestSupport", "Threads"],
            swiftSettings: settings),
        .testTarget(
            name: "MetricsTests", dependencies: ["Metrics", "Threads"], swiftSettings: settings),
        .testTarget(name: "TracesTests", dependencies: ["Traces"], swiftSettings: settings),
        .testTarget(
            name: "FoldersTests", dependencies: ["Folders", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "FetchTests",
            dependencies: ["CCompression", "CCurl", "Fetch", "Memory", "TestSupport", "Threads"],
            swiftSettings: settings),
        .testTarget(
            name: "ObjectsTests", dependencies: ["Fetch", "Hashing", "Objects", "TestSupport"],
            swiftSettings: settings),
        // What tests start as a process of its own: renderers that are honest or not, writers of a
        // store and workers that are killed, and the mutation loops of `make fuzz`.
        .executableTarget(
            name: "Helper",
            dependencies: [
                "Catalog", "CCompression", "CCrypto", "CSandbox", "CVips", "Fetch", "Hashing",
                "HTTP",
                "Imaging", "JSON", "SandboxProbe", "Store", "TestSupport", "WorkQueue",
            ],
            path: "Tests/Helper", swiftSettings: settings,
            // Its attempts on the sandbox call what the program doesn't.
            linkerSettings: [.linkedLibrary("vips")]),
        // What a program without rights tries all the same.
        .target(
            name: "SandboxProbe", path: "Tests/SandboxProbe", publicHeadersPath: ".",
            cSettings: [.unsafeFlags(["-std=gnu11", "-Wall", "-Wextra", "-Werror"])]),
        .testTarget(
            name: "ImagingTests",
            dependencies: [
                "CPixels", "CTurboJPEG", "Helper", "Imaging", "Memory", "TestSupport", "Threads",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "StoreTests",
            dependencies: [
                "Hashing", "Helper", "Store", "TestSupport", "Threads",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CatalogTests",
            dependencies: ["Catalog", "Fetch", "Hashing", "JSON", "PlayedAPIs", "TestSupport"],
            swiftSettings: settings),
        // A whole pipeline on a cache of its own, in front of a scripted origin.
        .target(
            name: "PipelineSupport",
            dependencies: [
                "Catalog", "Fetch", "Folders", "Hashing", "Imaging", "JSON", "Objects", "Pipeline",
                "PlayedAPIs",
                "Store",
                "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/PipelineSupport", swiftSettings: settings),
        .testTarget(
            name: "PipelineTests",
            dependencies: [
                "Catalog", "Fetch", "Folders", "Hashing", "Helper", "Imaging", "JSON", "Memory",
                "Metrics", "Objects", "Pipeline", "PipelineSupport", "PlayedAPIs", "Store",
                "TestSupport", "Threads",
            ],
            swiftSettings: settings),
        // A queue in memory, and servers of a test's own.
        .target(
            name: "WorkQueueSupport", dependencies: ["TestSupport", "WorkQueue"],
            path: "Tests/WorkQueueSupport", swiftSettings: settings),
        .testTarget(
            name: "WorkQueueTests",
            dependencies: ["Helper", "TestSupport", "WorkQueue", "WorkQueueSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "FleetTests",
            dependencies: [
                "Catalog", "Fetch", "Fleet", "Helper", "Imaging", "Objects", "Pipeline",
                "PipelineSupport", "Store", "TestSupport", "WorkQueue", "WorkQueueSupport",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "HTTPTests",
            dependencies: ["CCrypto", "CLinux", "HTTP", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "ServeTests",
            dependencies: [
                "Catalog", "CCompression", "CLinux", "Fetch", "Fleet", "Folders", "Hashing",
                "Helper", "HTTP", "Imaging", "JSON", "Memory", "Metrics", "Objects", "Pipeline",
                "PipelineSupport",
                "PlayedAPIs", "Serve", "Store",
                "TestSupport", "Traces", "VitrineKit", "WorkQueue",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DemoTests",
            dependencies: [
                "Catalog", "Demo", "Fetch", "Helper", "Imaging", "JSON", "PlayedAPIs",
                "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "AppTests",
            dependencies: [
                "App", "Catalog", "Fetch", "Folders", "Helper", "Imaging", "Memory", "Metrics",
                "Objects", "Pipeline", "Serve", "Store", "TestSupport", "Threads", "Traces",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "VitrineTests",
            dependencies: [
                "App", "Catalog", "Console", "Fetch", "Hashing", "Imaging", "JSON", "Memory",
                "Pipeline", "PlayedAPIs",
                "Serve", "Store",
                "TestSupport",
                "vitrine",
                "vitrine-demo", "WorkQueueSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "BenchTests",
            dependencies: [
                "App", "Console", "Imaging", "Memory", "Store", "TestSupport", "Threads", "vitrine",
                "vitrine-bench", "vitrine-demo",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
    ]
)

// Only the programs use other packages. Without the trait none is fetched, so that an app that uses VitrineKit
// has none of them.
for target in package.targets {
    target.dependencies = target.dependencies.map { dependency in
        guard case .productItem(let name, let package, let aliases, _) = dependency, let package
        else { return dependency }
        return .product(
            name: name, package: package, moduleAliases: aliases,
            condition: .when(traits: ["Server"]))
    }
}

// Only these programs, or the tests of these modules, and what they need: `make run` builds two programs at once, and
// `make test TESTS="Store Imaging"` the tests of two modules.
let only =
    (Context.environment["VITRINE_PROGRAMS"] ?? "").split(separator: " ").map(String.init)
    + (Context.environment["VITRINE_TESTS"] ?? "").split(separator: " ").map { "\($0)Tests" }
if !only.isEmpty {
    var needed = only
    var kept: Set<String> = []
    while let name = needed.popLast() {
        guard kept.insert(name).inserted else { continue }
        for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): needed.append(name)
            default: break
            }
        }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll { !kept.contains($0.name) }
}
