import Catalog
import Foundation
import Pipeline
import TestSupport
import Testing

@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct WarmManifestTests {
    /// Rows of id and place in the list.
    private static let rows = [
        ("A", "1"), ("B", "2"), ("A again", "1"), ("C", "3"), ("B again", "2"), ("D", "4"),
    ]

    @Test func `a manifest is in the list's order, however its items end`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("manifest.jsonl")
        let names = ListedNames()
        var items: [Item] = []
        for (line, row) in Self.rows.enumerated() {
            let item = try SignedURL.item(of: "https://a/\(row.1).jpg")
            names.note(ListedPicture(line: line + 2, place: row.1, id: row.0), as: item)
            if !items.contains(item) { items.append(item) }
        }
        let manifest = try await WarmManifest.create(
            file, signing: URLSignature(keys: ""), levels: [], names)
        for number in [2, 0, 3, 1] {
            try await manifest.write(
                WarmedItem(item: items[number], number: number, ending: .failed(reason: "no")))
        }
        try await manifest.finish()
        let entries = try String(contentsOfFile: file, encoding: .utf8)
            .split(separator: "\n").compactMap { WarmManifest.Entry(String($0)) }
        #expect(entries.map(\.id) == Self.rows.map(\.0))
        #expect(entries.map(\.url) == Self.rows.map { "https://a/\($0.1).jpg" })
    }

    @Test func `an interrupted run's manifest has the rows that ended`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("manifest.jsonl")
        let names = ListedNames()
        let items = try ["1", "2"].map { try SignedURL.item(of: "https://a/\($0).jpg") }
        for (line, item) in (items + [items[0]]).enumerated() {
            names.note(ListedPicture(line: line, place: "", id: "\(line)"), as: item)
        }
        let manifest = try await WarmManifest.create(
            file, signing: URLSignature(keys: ""), levels: [], names)
        try await manifest.write(WarmedItem(item: items[1], number: 1, ending: .picture))
        try await manifest.finish()
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.compactMap { WarmManifest.Entry(String($0))?.id } == ["1"])
    }
}
