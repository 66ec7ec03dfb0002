import App
import Foundation
import Testing

@Suite struct VersionTests {
    @Test func `the changelog begins with this version`() throws {
        let file = URL(filePath: #filePath).appending(path: "../../../CHANGELOG.md").standardized
        let headings = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("## ") }
        let first = try #require(headings.first)
        #expect(first == "## Unreleased" || first.hasPrefix("## \(Version.number) ("))
        #expect(headings.contains { $0.hasPrefix("## \(Version.number) (") })
    }
}
