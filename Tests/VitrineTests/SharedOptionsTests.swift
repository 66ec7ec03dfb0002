import App
import ArgumentParser
import Fetch
import Logging
import Serve
import TestSupport
import Testing

@testable import Console
@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct SharedOptionsTests {
    @Test func `every shared option changes its setting`() async throws {
        try await withScratchDirectory { root in
            try writeFile("\(root)/v.yaml", "server:\n  port: 81\n")
            let options = try SharedOptions.parse([
                "--config", "\(root)/v.yaml", "--cache", "/c", "--log-level", "debug",
                "--connect-to", "a:1:b:2", "--connect-to", "c:1:d:2", "--ca-file", "ca.pem",
                "--proxy", "http://p:1", "--allow-network", "127.0.0.0/8", "--allow-network",
                "fd00::/8",
            ])
            let loaded = try options.load(environment: ["VITRINE_LOG_LEVEL": "trace"])
            let settings = loaded.settings
            #expect(settings.server.port == 81)
            #expect(settings.cacheDirectory == "/c")
            #expect(settings.log.level == .debug)
            #expect(settings.fetch.connectTo == ["a:1:b:2", "c:1:d:2"])
            #expect(settings.fetch.caFile == "ca.pem")
            #expect(settings.fetch.proxy == "http://p:1")
            #expect(
                settings.fetch.allowedNetworks.map(\.description) == ["127.0.0.0/8", "fd00::/8"])
            #expect(loaded.origins["cache.directory"] == .flag("--cache"))
        }
    }

    @Test func `a command's own flags take precedence too`() throws {
        let options = try SharedOptions.parse(["--config", "/dev/null"])
        let loaded = try options.load(
            [SettingsLayers.Flag(name: "--port", path: "server.port", texts: ["0"])],
            environment: ["VITRINE_SERVER_PORT": "9"])
        #expect(loaded.settings.server.port == 0)
    }

    @Test func `a named configuration file must exist`() throws {
        let options = try SharedOptions.parse(["--config", "/nowhere/v.yaml"])
        #expect(
            throws: ConfigurationError(
                "Can't read /nowhere/v.yaml: No such file or directory; check --config.")
        ) {
            try options.load(environment: [:])
        }
    }
}
