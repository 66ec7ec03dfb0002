import Fetch
import Foundation
import Testing

@testable import App

@Suite(.timeLimit(.minutes(1))) struct ConfigurationDocumentTests {
    private static let project = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test func `config/vitrine.yaml is generated from the table of keys`() throws {
        let url = Self.project.appending(path: "config/vitrine.yaml")
        let text = try String(contentsOf: url, encoding: .utf8)
        #expect(
            text == ConfigurationKey.document(),
            "write it anew: vitrine config --defaults > config/vitrine.yaml")
    }

    @Test
    func
        `config/vitrine.yaml sets every key to its default and names the variable of every secret`()
        throws
    {
        let text = ConfigurationKey.document()
        let file = try ConfigurationFile(path: "v.yaml", text: text)
        let loaded = try SettingsLayers(file: file).load()
        for key in ConfigurationKey.all {
            if key.shape == .secret {
                #expect(text.contains(key.environmentName))
            } else {
                #expect(key.print(loaded.settings) == key.print(Settings()))
                let line = try #require(file.lines[key.path])
                #expect(loaded.origins[key.path] == .file("v.yaml", line: line))
            }
        }
    }

    @Test func `origins see the running version, whichever version wrote the file`() throws {
        let written = ConfigurationKey.document()
        #expect(!written.contains(Version.number))
        let file = try ConfigurationFile(path: "v.yaml", text: written)
        let loaded = try SettingsLayers(environment: [:], file: file).load()
        #expect(loaded.settings.fetch.userAgent == "vitrine/\(Version.number)")
        let row = ConfigurationListing(loaded).settings.first { $0.key == "fetch.userAgent" }
        #expect(row?.value.text == "vitrine/\(Version.number)")
    }

    @Test func `every key of config/vitrine.yaml has a comment above it, within 100 columns`() {
        let lines = ConfigurationKey.document().split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.allSatisfy { $0.count <= 100 })
        // Levels have one for all of them.
        let levels: Set<Substring> = ["  xs:", "  s:", "  m:", "  l:", "  xl:"]
        var keys = 0
        for (above, line) in zip(lines, lines.dropFirst())
        where line.hasPrefix("  ") && !line.contains("#") {
            keys += 1
            let name = line.prefix { $0 != ":" } + ":"
            #expect(above.hasPrefix("  #") || levels.contains(name), "\(line)")
        }
        #expect(keys > 50)
    }
}
