import Catalog
import Fetch
import FoundationEssentials
import Imaging
import Pipeline
import Serve
import Store
import TestSupport
import Testing

@testable import App

@Suite(.timeLimit(.minutes(1))) struct SettingsLayersTests {
    @Test(arguments: [
        ("nats://10.0.0.1:4222", "auto", ServerConfiguration.UserDataAccess.off),
        ("nats://10.0.0.1:4222", "token", .token), ("nats://10.0.0.1:4222", "open", .open),
        ("", "auto", .automatic),
    ]) func `a node of a fleet keeps favorites only if it is told to`(
        _ queue: String, _ userData: String, _ access: ServerConfiguration.UserDataAccess
    ) throws {
        let loaded = try SettingsLayers(
            environment: ["VITRINE_QUEUE": queue, "VITRINE_USER_DATA": userData]
        ).load()
        #expect(loaded.settings.userDataAccess == access)
    }

    /// A proxy connects from this machine, wherever its client is.
    @Test(arguments: [
        ("VITRINE_SERVER_PUBLIC_URL", "http://localhost"),
        ("VITRINE_SERVER_HOSTS", "pictures.example.org"), ("VITRINE_CDN_TAGS", "Surrogate-Key"),
        ("VITRINE_CDN_PURGE_URL", "http://127.0.0.1/"),
        ("VITRINE_CDN_PURGE_COMMAND", "/bin/true"),
    ])
    func `favorites are off unless they are switched on if the settings name a proxy`(
        variable: String, value: String
    ) throws {
        for (wanted, access, shown) in [
            ("auto", ServerConfiguration.UserDataAccess.off, "off"), ("open", .open, "open"),
            ("token", .token, "token"),
        ] {
            let loaded = try SettingsLayers(
                environment: [variable: value, "VITRINE_USER_DATA": wanted]
            ).load()
            #expect(loaded.settings.userDataAccess == access)
            #expect(loaded.shown("userData") == shown)
        }
    }

    @Test func `auto is shown as what it comes to, except for a choice of its own`() async throws {
        try await withScratchDirectory { directory in
            let loaded = try SettingsLayers(
                environment: ["VITRINE_CACHE_DIRECTORY": "\(directory)/not/there/yet"]
            ).load()
            let rows = ConfigurationListing(loaded).rows
            #expect(
                rows.filter { $0[1] == "auto" }.map { $0[0] } == [
                    "imaging.lane", "s3.credentials",
                ])
            for key in ["memory.budget", "cache.budget", "cache.memory", "cache.minFreeDisk"] {
                let size = try #require(loaded.shown(key))
                #expect(SizeText.parse(size).map { $0 > 0 } == true, "\(key) \(size)")
                #expect(rows.first { $0[0] == key }?[2] == "default (auto)")
            }
            #expect(loaded.shown("userData") == "off")
        }
        for (host, access) in [("0.0.0.0", "off"), ("127.0.0.1", "open"), ("::1", "open")] {
            let loaded = try SettingsLayers(
                environment: ["VITRINE_SERVER_HOST": host, "VITRINE_USER_DATA": "auto"]
            ).load()
            #expect(loaded.shown("userData") == access)
        }
    }

    @Test(
        arguments: [
            ("0.0.0.0:9091", nil, "127.0.0.1:9091"), ("[::]:9091", nil, "[::1]:9091"),
            ("ops.example:0", nil, "127.0.0.1:0"), ("127.0.0.2:9091", nil, "127.0.0.2:9091"),
            ("0.0.0.0:9091", "a token of its own", "0.0.0.0:9091"), ("", nil, nil),
        ] as [(String, String?, String?)])
    func `without an admin token the operator's address is on this machine`(
        _ wanted: String, _ token: String?, _ address: String?
    ) throws {
        var environment = ["VITRINE_SERVER_ADMIN_ADDRESS": wanted]
        environment["VITRINE_ADMIN_TOKEN"] = token
        let settings = try SettingsLayers(environment: environment).load().settings
        #expect(settings.adminAddress?.description == address)
    }

    private func complaint(flags: [SettingsLayers.Flag] = [], environment: [String: String] = [:])
        -> ConfigurationError?
    {
        do throws(ConfigurationError) {
            _ = try SettingsLayers(flags: flags, environment: environment).load()
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: [
            ("7000", "8000", "9000", 7_000, LoadedSettings.Origin.flag("--port")),
            (nil, "8000", "9000", 8_000, .environment("VITRINE_SERVER_PORT")),
            (nil, "", "9000", 9_000, .file("v.yaml", line: 2)),
            (nil, nil, "9000", 9_000, .file("v.yaml", line: 2)),
            ("7000", nil, "9000", 7_000, .flag("--port")),
            (nil, nil, nil, 8_080, .byDefault),
        ] as [(String?, String?, String?, Int, LoadedSettings.Origin)])
    func `flags win over the environment, the environment over the file, the file over defaults`(
        flag: String?, variable: String?, yaml: String?, port: Int, origin: LoadedSettings.Origin
    ) throws {
        let layers = SettingsLayers(
            flags: flag.map {
                [SettingsLayers.Flag(name: "--port", path: "server.port", texts: [$0])]
            } ?? [],
            environment: variable.map { ["VITRINE_SERVER_PORT": $0] } ?? [:],
            file: try yaml.map { try settingsFile("server:\n  port: \($0)\n") })
        let loaded = try layers.load()
        #expect(loaded.settings.server.port == port)
        #expect(loaded.origins["server.port"] == origin)
        #expect(loaded.origins["server.host"] == .byDefault)
    }

    @Test func `a list of a higher layer replaces the list of a lower one`() throws {
        let yaml = try settingsFile(
            "fetch:\n  connectTo: [\"a:1:b:2\", \"c:1:d:2\"]\nlevels: {q: 1x1}\n")
        var layers = SettingsLayers(file: yaml)
        #expect(try layers.load().settings.fetch.connectTo == ["a:1:b:2", "c:1:d:2"])
        #expect(try layers.load().settings.levels.map(\.name) == ["q"])
        layers.environment = [
            "VITRINE_FETCH_CONNECT_TO": "e:1:f:2, g:1:h:2", "VITRINE_LEVELS": "b=9x9,a=8x8",
        ]
        #expect(try layers.load().settings.fetch.connectTo == ["e:1:f:2", "g:1:h:2"])
        #expect(try layers.load().settings.levels.map(\.name) == ["a", "b"])
        layers.flags = [
            SettingsLayers.Flag(name: "--connect-to", path: "fetch.connectTo", texts: ["i:1:j:2"])
        ]
        #expect(try layers.load().settings.fetch.connectTo == ["i:1:j:2"])
    }

    @Test func `settings reach the modules' own configurations`() throws {
        let loaded = try SettingsLayers(environment: [
            "VITRINE_FETCH_MAX_REDIRECTS": "2", "VITRINE_FETCH_HOST_CONCURRENCY": "3",
            "VITRINE_IMAGING_WEBP_QUALITY": "71",
            "VITRINE_CATALOG_TIME_TO_LIVE": "20m", "VITRINE_FETCH_PROXY": "http://p:1",
        ]).load().settings
        #expect(loaded.fetch.maxRedirects == 2)
        #expect(loaded.fetch.defaultHost.maxConcurrent == 3)
        #expect(loaded.fetch.proxy == "http://p:1")
        #expect(loaded.imaging.webpQuality == 71)
        #expect(loaded.pipeline.catalog.timeToLive == 1_200)
    }

    @Test func `a level can have its own encoder settings`() throws {
        let yaml = try settingsFile(
            "imaging:\n  perLevel:\n    xs.webpQuality: 75\n    xl.avifEffort: 3\n    xs.jpegQuality: 70\n"
        )
        let expected = [
            LevelSettings(level: "xl", values: [.avifEffort: 3]),
            LevelSettings(level: "xs", values: [.jpegQuality: 70, .webpQuality: 75]),
        ]
        #expect(try SettingsLayers(file: yaml).load().settings.imaging.perLevel == expected)
        let loaded = try SettingsLayers(environment: [
            "VITRINE_IMAGING_PER_LEVEL": "xs.webpQuality=75,xl.avifEffort=3,xs.jpegQuality=70"
        ]).load()
        #expect(loaded.settings.imaging.perLevel == expected)
        #expect(
            loaded.settings.perLevelTexts == [
                "xl.avifEffort=3", "xs.jpegQuality=70", "xs.webpQuality=75",
            ])
        #expect(loaded.settings.imaging.value(.webpQuality, level: "xs") == 75)
        #expect(loaded.settings.imaging.value(.webpQuality, level: "s") == 80)
    }

    @Test func `an invalid variable is a configuration error that names it`() {
        let error = complaint(environment: ["VITRINE_FETCH_MAX_REDIRECTS": "many"])
        #expect(
            error
                == ConfigurationError(
                    "VITRINE_FETCH_MAX_REDIRECTS is “many”; expected a whole number from 0 to 50."))
    }

    @Test func `an invalid flag is a usage error that names it`() {
        let flag = SettingsLayers.Flag(name: "--log-level", path: "log.level", texts: ["loud"])
        let error = complaint(flags: [flag])
        #expect(error?.isUsage == true)
        #expect(error?.description.hasPrefix("--log-level is “loud”; expected trace, ") == true)
    }

    @Test(arguments: [
        (
            ["VITRINE_FRESHNESS_ORIGINAL_MIN": "7d", "VITRINE_FRESHNESS_ORIGINAL_MAX": "24h"],
            "freshness.originalMin is 7d, which is more than freshness.originalMax (24h); lower "
                + "the first or raise the second."
        ),
        (
            ["VITRINE_IMAGING_PER_LEVEL": "q.webpQuality=75"],
            "imaging.perLevel names the level “q”, which is not among levels (xs, s, m, l and "
                + "xl); correct it or remove it."
        ),
    ])
    func `settings that contradict each other are an error`(
        environment: [String: String], sentence: String
    ) {
        #expect(complaint(environment: environment)?.description == sentence)
    }

    @Test func `a credential comes from its variable, otherwise from its file`() async throws {
        try await withScratchDirectory { directory in
            try writeFile("\(directory)/token", "from-file\n")
            var layers = SettingsLayers(
                file: try settingsFile("tmdb:\n  tokenFile: \(directory)/token\n"))
            var loaded = try layers.load()
            #expect(loaded.settings.credentials.tmdbToken.value?.reveal() == "from-file")
            #expect(loaded.origins["tmdb.token"] == .file("\(directory)/token", line: nil))
            layers.environment = ["VITRINE_TMDB_TOKEN": "from-environment"]
            loaded = try layers.load()
            #expect(loaded.settings.credentials.tmdbToken.value?.reveal() == "from-environment")
            #expect(loaded.origins["tmdb.token"] == .environment("VITRINE_TMDB_TOKEN"))
        }
    }

    @Test func `a short key for signed URLs is an error`() async throws {
        let short = complaint(environment: ["VITRINE_URL_KEYS": "0123456789abcdef,geheim"])
        #expect(
            short?.description
                == "url.keys has a key of 6 bytes; use at least 16, such as those of: "
                + "openssl rand -hex 16.")
        try await withScratchDirectory { directory in
            try writeFile("\(directory)/keys", "x")
            let read = complaint(environment: ["VITRINE_URL_KEYS_FILE": "\(directory)/keys"])
            #expect(read?.description.hasPrefix("url.keys has a key of 1 byte;") == true)
        }
    }

    @Test(arguments: [
        "first-key-0123456\nsecond-key-012345\n", "first-key-0123456,second-key-012345",
        "\u{FEFF}first-key-0123456\r\nsecond-key-012345\r\n",
        "first-key-0123456,\n second-key-012345 ,\n\n",
    ])
    func `a file of keys has one a line or between commas, with or without a byte order mark`(
        text: String
    ) async throws {
        try await withScratchDirectory { directory in
            try writeFile("\(directory)/keys", text)
            let settings = try SettingsLayers(
                environment: ["VITRINE_URL_KEYS_FILE": "\(directory)/keys"]
            ).load().settings
            func sign(_ signature: URLSignature) throws -> String {
                try signature.sign(level: "m", encodedURL: "a", expires: nil)
            }
            let first = try sign(URLSignature(keys: "first-key-0123456"))
            #expect(try sign(settings.urlSignature) == first)
            let second = try sign(URLSignature(keys: "second-key-012345"))
            try settings.urlSignature.check(
                second, level: "m", encodedURL: "a", expires: nil, now: .now)
            // One short key among them is one.
            try writeFile("\(directory)/keys", text + "\nshort")
            let short = complaint(environment: ["VITRINE_URL_KEYS_FILE": "\(directory)/keys"])
            #expect(short?.description.hasPrefix("url.keys has a key of 5 bytes;") == true)
        }
    }

    @Test func `the byte order mark of a file is not a part of any secret`() async throws {
        try await withScratchDirectory { directory in
            try writeFile("\(directory)/token", "\u{FEFF}a token of its own\r\n")
            let settings = try SettingsLayers(environment: [
                "VITRINE_ADMIN_TOKEN_FILE": "\(directory)/token",
                "VITRINE_TMDB_TOKEN_FILE": "\(directory)/token",
            ]).load().settings
            for entry in [settings.credentials.adminToken, settings.credentials.tmdbToken] {
                #expect(entry.value?.reveal() == "a token of its own")
            }
        }
    }

    @Test func `an admin token of fewer than 16 bytes is rejected`() throws {
        let short = complaint(environment: ["VITRINE_ADMIN_TOKEN": "fifteen-letters"])
        #expect(
            short?.description
                == "admin.token has 15 bytes; use at least 16, such as those of: "
                + "openssl rand -hex 16.")
        let enough = ["VITRINE_ADMIN_TOKEN": "sixteen--letters"]
        _ = try SettingsLayers(environment: enough).load()
    }

    @Test func `a credential's file must exist and not be empty`() async throws {
        try await withScratchDirectory { directory in
            let missing = complaint(environment: ["VITRINE_URL_KEYS_FILE": "\(directory)/none"])
            #expect(
                missing?.description
                    == "url.keysFile: Can't read \(directory)/none: No such file or directory.")
            try writeFile("\(directory)/empty", " \n")
            let empty = complaint(environment: ["VITRINE_URL_KEYS_FILE": "\(directory)/empty"])
            #expect(
                empty?.description
                    == "url.keysFile: \(directory)/empty is empty; write the secret into it.")
        }
    }

    @Test func `variables that are probably mistyped are named`() throws {
        let loaded = try SettingsLayers(environment: [
            "VITRINE_SERVER_PORT": "9000", "VITRINE_SERVER_PROT": "1", "VITRINE_ZZZZZZZZ": "1",
            "OTHER": "1",
        ]).load()
        #expect(
            loaded.warnings == [
                """
                VITRINE_SERVER_PROT is set, but there is no such setting. \
                Did you mean VITRINE_SERVER_PORT?
                """
            ])
    }

    @Test func `variables that Kubernetes sets for a service are passed over`() throws {
        let loaded = try SettingsLayers(environment: [
            "VITRINE_PORT": "tcp://10.0.0.1:8080", "VITRINE_SERVICE_HOST": "10.0.0.1",
            "VITRINE_SERVICE_PORT": "8080", "VITRINE_SERVICE_PORT_HTTP": "8080",
            "VITRINE_SERVER_PORT_8080_TCP": "tcp://10.0.0.1:8080",
            "VITRINE_SERVER_PORT_8080_TCP_ADDR": "10.0.0.1",
        ]).load()
        #expect(loaded.warnings.isEmpty)
        #expect(loaded.settings.server.port == 8_080)
    }
}
