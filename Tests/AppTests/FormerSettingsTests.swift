import Catalog
import Fetch
import FoundationEssentials
import Imaging
import Pipeline
import Serve
import Store
import Testing

@testable import App

/// Settings that have another name now, or that are none any more.
@Suite(.timeLimit(.minutes(1))) struct FormerSettingsTests {
    @Test func `former names are accepted with a warning that names the new one`() throws {
        let yaml = try settingsFile("worker:\n  metrics: 127.0.0.1:7\n")
        var layers = SettingsLayers(file: yaml)
        var loaded = try layers.load()
        #expect(loaded.settings.adminAddress == ListenAddress("127.0.0.1:7"))
        #expect(loaded.origins["server.adminAddress"] == .file("v.yaml", line: 2))
        #expect(
            loaded.warnings
                == ["v.yaml:2: worker.metrics is deprecated. Use server.adminAddress."])
        layers.environment = ["VITRINE_WORKER_METRICS": "127.0.0.1:9"]
        loaded = try layers.load()
        #expect(loaded.settings.adminAddress == ListenAddress("127.0.0.1:9"))
        #expect(
            loaded.warnings == [
                "VITRINE_WORKER_METRICS is deprecated. Use VITRINE_SERVER_ADMIN_ADDRESS."
            ])
        layers.environment["VITRINE_SERVER_ADMIN_ADDRESS"] = "127.0.0.1:11"
        loaded = try layers.load()
        #expect(loaded.settings.adminAddress == ListenAddress("127.0.0.1:11"))
        #expect(loaded.warnings.isEmpty)
    }

    @Test func `a removed setting is accepted with a warning that says what holds now`() throws {
        let warning = "is no longer a setting; remove it. A path and its query may have 8KiB."
        let loaded = try SettingsLayers(
            environment: ["VITRINE_SERVER_MAX_TARGET_SIZE": "1KiB"],
            file: settingsFile("server:\n  maxTargetSize: 4KiB\n  port: 81\n")
        ).load()
        #expect(loaded.shown("server.port") == "81")
        #expect(
            loaded.warnings == [
                "v.yaml:2: server.maxTargetSize \(warning)",
                "VITRINE_SERVER_MAX_TARGET_SIZE \(warning)",
            ])
    }

    @Test func `the bounds that removed settings name are those in force`() throws {
        let settings = try SettingsLayers(environment: [:], budget: 1 << 30).load().settings
        func days(_ seconds: Double) -> Int { Int(seconds / 86_400) }
        let retry = settings.fetch.retry
        let longestPause = retry.baseDelay * (1 << (retry.attempts - 2))
        let inForce: [(String, String)] = [
            (
                "catalog.pagesInMemory",
                "at least \(SizeText.print(settings.pipeline.catalogBytes))"
            ),
            ("cache.maxPinned", settings.store.limits.maxPinned == 0.5 ? "half of" : "?"),
            ("catalog.patience", "waits \(Int(settings.pipeline.catalog.patience))s"),
            ("cdn.purgeAttempts", "\(PurgeQueue.Limits().attempts) times"),
            ("cdn.purgeBatch", "\(PurgeQueue.Limits().batch) tags"),
            ("favorites.lookupsPerMinute", "\(FavoritePolicy().lookupsPerMinute) favorites"),
            ("favorites.max", "\(FavoritePolicy().max) favorites"),
            ("fetch.attempts", "\(settings.fetch.retry.attempts) times"),
            ("fetch.connectTimeout", DurationText.print(settings.fetch.connectTimeout)),
            ("fetch.baseDelay", DurationText.print(settings.fetch.retry.baseDelay)),
            ("fetch.lowSpeedLimit", "\(SizeText.print(settings.fetch.lowSpeedLimit)) a second"),
            ("fetch.lowSpeedTime", "for \(DurationText.print(settings.fetch.lowSpeedTime))"),
            ("freshness.staleIfError", "for \(days(settings.pipeline.freshness.staleIfError))d"),
            (
                "freshness.staleWhileRevalidate",
                "for \(24 * days(settings.pipeline.freshness.staleWhileRevalidate))h"
            ),
            (
                "imaging.childDeadline",
                "take \(DurationText.print(settings.imaging.isolation.deadline)) of"
            ),
            ("imaging.pngCompression", "level \(settings.imaging.pngCompression) of"),
            ("imaging.webpEffort", "method \(settings.imaging.webpEffort) of"),
            ("fetch.maxDelay", "\(DurationText.print(longestPause)) at most"),
            (
                "fetch.maxRetryAfter",
                "over \(DurationText.print(settings.fetch.retry.maxRetryAfter))"
            ),
            ("fetch.maxTransfers", "\(settings.fetch.maxTransfers) transfers"),
            ("iiif.pixelsPerMinute", "\(ZoomPolicy().pixelsPerMinute / 1_000_000) million"),
            ("iiif.waiting", "\(ZoomPolicy().waiting) parts"),
            (
                "imaging.childDeadlinePerMegapixel",
                "\(DurationText.print(settings.imaging.isolation.deadlinePerMegapixel)) more"
            ),
            ("imaging.childJobs", "\(settings.imaging.isolation.jobs) pictures"),
            ("imaging.maxSide", "\(settings.imaging.maxSide) pixels"),
            ("load.lookups", "\(LoadPolicy().lookups) catalog"),
            ("load.misses", "\(LoadPolicy().misses) misses"),
            ("load.waitingLookups", "\(LoadPolicy().waitingLookups) look-ups"),
            ("load.waitingMisses", "\(LoadPolicy().waitingMisses) misses"),
            ("load.waitingRequests", "\(LoadPolicy().waitingRequests) requests"),
            ("placeholder.background", "on \(settings.imaging.placeholder.background.hex)"),
            ("placeholder.foreground", "in \(settings.imaging.placeholder.foreground.hex)"),
            ("s3.concurrency", "\(Assembly.sharedStoreTransfers) transfers"),
            ("s3.maxWaiting", "\(SharedPolicy().maxWaiting) items"),
            ("s3.patience", "for \(DurationText.print(SharedPolicy().patience))"),
            ("s3.uploads", "\(SharedPolicy().uploads) items"),
            ("server.backlog", "\(settings.server.backlog) connections"),
            ("server.lingerSize", SizeText.print(settings.server.maxLingerBytes)),
            ("server.lingerTimeout", DurationText.print(settings.server.lingerTimeout)),
            ("server.maxTargetSize", SizeText.print(settings.server.maxTargetBytes)),
            ("server.minBodyRate", SizeText.print(settings.server.minBodyRate)),
            ("sheet.background", settings.imaging.sheet.background.hex),
            ("sheet.maxPixels", "\(settings.imaging.sheet.maxPixels / 1_000_000) million"),
        ]
        for (path, bound) in inForce {
            #expect(ConfigurationKey.removed[path]?.contains(bound) == true, "\(path): \(bound)")
        }
    }

    @Test func `a removed size that is a share of memory names the share in force`() throws {
        let loaded = try SettingsLayers(
            environment: ["VITRINE_MEMORY_CATALOGS": "1MiB"], budget: 1 << 30
        ).load()
        let share = SizeText.print(loaded.settings.pipeline.catalogBytes)
        #expect(
            loaded.warnings == [
                "VITRINE_MEMORY_CATALOGS is no longer a setting; remove it. It is \(share), a share of "
                    + "memory.budget."
            ])
    }

    @Test func `a section of which no setting is left is accepted, too`() throws {
        let loaded = try SettingsLayers(
            environment: [:], file: settingsFile("idle:\n  formats: [webp]\nserver:\n  port: 81\n")
        ).load()
        #expect(loaded.shown("server.port") == "81")
        #expect(loaded.warnings.count == 1)
        #expect(
            loaded.warnings.first?.hasPrefix("v.yaml:2: idle.formats is no longer a setting;")
                == true)
        #expect(throws: ConfigurationError.self) { try settingsFile("idle:\n  others: 1\n") }
    }

    @Test func `a setting under its former and its current name is an error`() {
        let twice = "v.yaml:4: server.adminAddress is given twice; remove one."
        #expect(throws: ConfigurationError(twice)) {
            try settingsFile("server:\n  adminAddress: ''\nworker:\n  metrics: ''\n")
        }
    }

    @Test func `a removed setting of a level is accepted with a warning`() throws {
        let yaml = "imaging:\n  perLevel: {xs.webpEffort: 6, xs.webpQuality: 75}\n"
        var layers = SettingsLayers(file: try settingsFile(yaml))
        let warning =
            "xs.webpEffort is no longer a setting; remove it. WebP is made by method 2 of libwebp."
        let loaded = try layers.load()
        #expect(loaded.warnings == ["v.yaml:2: imaging.perLevel: \(warning)"])
        #expect(loaded.settings.perLevelTexts == ["xs.webpQuality=75"])
        layers.environment = ["VITRINE_IMAGING_PER_LEVEL": "xs.webpEffort=6"]
        #expect(try layers.load().warnings == ["VITRINE_IMAGING_PER_LEVEL: \(warning)"])
    }
}
