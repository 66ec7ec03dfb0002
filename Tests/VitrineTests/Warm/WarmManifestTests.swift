import App
import Catalog
import Fetch
import Foundation
import Imaging
import Pipeline
import Synchronization
import TestSupport
import Testing

@testable import Console
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

    @Test func `a row that can't be read stands in its place, with its line and reason`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let file = directory.file("manifest.jsonl")
        let names = ListedNames()
        let items = try ["1", "2"].map { try SignedURL.item(of: "https://a/\($0).jpg") }
        names.note(BadLine(line: 1, reason: "it is bad"))
        names.note(ListedPicture(line: 2, place: "", id: "A"), as: items[0])
        names.note(BadLine(line: 3, reason: "its URL is empty"))
        names.note(ListedPicture(line: 4, place: "", id: "B"), as: items[1])
        names.note(BadLine(line: 5, reason: "it is bad"))
        let manifest = try await WarmManifest.create(
            file, signing: URLSignature(keys: ""), levels: [], names)
        for number in [1, 0] {
            try await manifest.write(
                WarmedItem(item: items[number], number: number, ending: .picture))
        }
        try await manifest.finish()
        let entries = try String(contentsOfFile: file, encoding: .utf8)
            .split(separator: "\n").compactMap { WarmManifest.Entry(String($0)) }
        #expect(
            entries.map { "\($0.id ?? "\($0.line ?? 0) \($0.reason ?? "")") \($0.status)" } == [
                "1 it is bad unreadable", "A picture", "3 its URL is empty unreadable",
                "B picture", "5 it is bad unreadable",
            ])
    }

    @Test(arguments: [
        WarmedItem.Ending.picture, .placeholder(reason: "It is gone."),
        .failed(reason: "It is slow."),
    ])
    func `a URL without a picture has signed paths, too`(ending: WarmedItem.Ending) async throws {
        let directory = try TemporaryDirectory()
        let signature = URLSignature(keys: "a key of sixteen bytes")
        let manifest = try await WarmManifest.create(
            directory.file("manifest.jsonl"), signing: signature,
            levels: [
                Level(name: "m", width: 320, height: 480),
                Level(name: "s", width: 160, height: 240),
            ], nil)
        let item = try SignedURL.item(of: "https://a/1.jpg")
        let entry = manifest.entry(WarmedItem(item: item, number: 0, ending: ending))
        let code = try signature.sign(level: "m", encodedURL: item.id, expires: nil)
        let path = "/t/m/url/\(code)/\(item.id)"
        #expect(entry.signed?.keys.sorted() == ["m", "s"] && entry.signed?["m"] == path)
        #expect(entry.srcset?.hasSuffix(" 160w, \(path) 320w") == true)
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

@Suite(.timeLimit(.minutes(1))) struct WarmLinesTests {
    @Test func `a bad line is named with its number, and the others are read`() async throws {
        let directory = try TemporaryDirectory()
        let text = "# list\n\n http://a.example/b c.jpg \r\nno url\nhttp://b.example/\n"
        let list = try directory.write(Array(text.utf8), to: "urls.txt")
        let said = Mutex("")
        let bad = BadLines(
            list,
            errors: StandardError(isTerminal: false, columns: { 80 }) { text in
                said.withLock { $0 += text }
            })
        guard
            case .stream(let open) = try await WarmLines(file: list, bad: bad).urls(ListColumns())
        else {
            Issue.record("A list is a stream.")
            return
        }
        // A run with a queue reads it again, and names no line twice.
        for _ in 1...2 {
            let next = try await open()
            var items: [Item] = []
            while let more = try await next() { items += more }
            #expect(
                items
                    == [
                        try SignedURL.item(of: "http://a.example/b%20c.jpg"),
                        try SignedURL.item(of: "http://b.example/"),
                    ])
        }
        #expect(bad.count == 1)
        #expect(
            said.withLock { $0 } == "\(list):4: “no url” is not an absolute http or https URL.\n")
    }

    @Test func `a file is read in pieces, and its last line needs no end`() throws {
        let directory = try TemporaryDirectory()
        let count = 20_000
        let text = (1...count).map { "line \($0)" }.joined(separator: "\n")
        let reader = try LineReader(try directory.write(Array(text.utf8), to: "lines"))
        var pieces = 0
        var lines: [LineReader.Line] = []
        while let piece = try reader.next() {
            pieces += 1
            lines += piece
        }
        #expect(pieces > 2)
        #expect(lines.map(\.number) == Array(1...count))
        #expect(lines.last?.text == "line \(count)")
    }

    @Test func `a line without an end is an error, and takes no memory`() throws {
        let directory = try TemporaryDirectory()
        let bytes = [UInt8](repeating: 65, count: 3 << 20)
        let reader = try LineReader(try directory.write(bytes, to: "long"))
        #expect(throws: LocalFileError.self) { try reader.next() }
    }

    @Test(arguments: [
        ("20", 20, Duration.seconds(1)), ("0.5", 1, .seconds(2)), ("2.5", 2, .milliseconds(800)),
        ("100/1m", 100, .seconds(60)), ("1/3s", 1, .seconds(3)),
    ])
    func `a rate is a number per second, or per time`(
        text: String, count: Int, per: Duration
    ) {
        #expect(HostPolicy.Rate(argument: text) == HostPolicy.Rate(count: count, per: per))
    }

    @Test(arguments: ["", "0", "-1", "x", "1/", "/1s", "0/1s", "1/0", "1/2/3", "nan", "inf"])
    func `other texts are not rates`(text: String) {
        #expect(HostPolicy.Rate(argument: text) == nil)
    }
}
