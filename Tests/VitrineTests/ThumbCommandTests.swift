import App
import Foundation
import TestSupport
import Testing

@testable import Console
@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct ThumbCommandTests {
    /// A picture that gets lighter to the right.
    private func picture(width: Int, height: Int) -> Data {
        Data(FixtureImages.png(width: width, height: height) { x, _, _ in x * 255 / width })
    }

    private func write(_ data: Data, to path: String) throws {
        try writeFile(path, "")
        try data.write(to: URL(filePath: path))
    }

    private func files(in directory: String) throws -> [String] {
        try LocalFile.names(in: directory)
    }

    @Test func `another process with another thread count writes the same bytes`() async throws {
        try await withScratchDirectory { root in
            for index in 1...3 {
                try write(
                    picture(width: 90 + 7 * index, height: 80), to: "\(root)/in/\(index).png")
            }
            var seen: [[[UInt8]]] = []
            for threads in ["1", "4"] {
                let finished = try await Executable.run(
                    [
                        "thumb", "in", "-o", "out\(threads)", "--levels", "s,xs", "--formats",
                        "webp,jpeg,avif,png",
                    ], in: root, environment: ["VITRINE_IMAGING_THREADS": threads])
                #expect(finished.status == 0, "\(finished.error)")
                let directory = "\(root)/out\(threads)"
                seen.append(
                    try files(in: directory).map {
                        try LocalFile.read("\(directory)/\($0)", limit: 1 << 20)
                    })
            }
            #expect(seen[0].count == 24)
            #expect(seen[0] == seen[1])
        }
    }

    @Test func `every picture below a directory is rendered in every level and format`()
        async throws
    {
        try await withScratchDirectory { root in
            try write(picture(width: 200, height: 100), to: "\(root)/in/a.png")
            try write(picture(width: 60, height: 90), to: "\(root)/in/deep/b.jpg")
            try writeFile("\(root)/in/readme.jpg", "no picture")
            let finished = try await Executable.run(
                ["thumb", "in", "-o", "out/thumbs", "--levels", "s,xs"], in: root)
            #expect(finished.status == 0, "\(finished.error)")
            #expect(finished.error.isEmpty)
            #expect(finished.output.hasPrefix("Made 8 thumbnails of 2 pictures, "))
            #expect(
                try files(in: "\(root)/out/thumbs") == [
                    "a.s.jpg", "a.s.webp", "a.xs.jpg", "a.xs.webp", "deep",
                ])
            #expect(
                try files(in: "\(root)/out/thumbs/deep") == [
                    "b.s.jpg", "b.s.webp", "b.xs.jpg", "b.xs.webp",
                ])
            let names = ["a.s.jpg", "a.xs.webp", "deep/b.s.jpg", "deep/b.s.webp"]
            for name in names {
                let bytes = try LocalFile.head("\(root)/out/thumbs/\(name)", count: 4)
                let isWebP = name.hasSuffix(".webp")
                #expect(bytes.starts(with: isWebP ? Array("RIFF".utf8) : [0xff, 0xd8]), "\(name)")
            }
        }
    }

    @Test func `failed pictures are listed, the others are rendered, and the status is 3`()
        async throws
    {
        try await withScratchDirectory { root in
            try write(picture(width: 20, height: 20), to: "\(root)/good.png")
            try writeFile("\(root)/page.jpg", "<html>not found</html>")
            try writeFile("\(root)/two\nlines.jpg", "not a picture")
            let finished = try await Executable.run(
                [
                    "thumb", "page.jpg", "good.png", "gone.jpg", "two\nlines.jpg",
                    "http://127.0.0.1:1/p.jpg?key=1",
                    "-o", "out", "--levels", "m", "--formats", "webp",
                ], in: root)
            #expect(finished.status == 3)
            #expect(try files(in: "\(root)/out") == ["good.m.webp"])
            let lines = finished.error.split(separator: "\n").sorted()
            #expect(lines.count == 4)
            #expect(lines.first == "gone.jpg: No such file or directory.")
            #expect(lines.dropFirst().first?.hasPrefix("http://127.0.0.1:1/p.jpg: ") == true)
            #expect(lines.dropFirst(2).first?.hasPrefix("page.jpg: ") == true)
            #expect(lines.last?.hasPrefix("two\\nlines.jpg: ") == true)
            #expect(finished.output.hasPrefix("Made 1 thumbnail of 1 picture, "))
            #expect(finished.output.hasSuffix("; 4 failed\n"))
        }
    }

    @Test func `a second run makes what is missing, changed or has other settings`() async throws {
        try await withScratchDirectory { root in
            for name in ["a", "b/c", "b/d"] {
                try write(picture(width: 60, height: 90), to: "\(root)/in/\(name).png")
            }
            func run(_ options: String...) async throws -> String {
                let finished = try await Executable.run(
                    ["thumb", "in", "-o", "in/out", "--levels", "xs", "--formats", "jpeg"]
                        + options, in: root)
                #expect(finished.status == 0, "\(finished.error)")
                return finished.output
            }
            #expect(try await run("--dry-run") == "Would make 3 thumbnails of 3 pictures\n")
            #expect(try files(in: "\(root)/in") == ["a.png", "b"])
            #expect(try await run().hasPrefix("Made 3 thumbnails of 3 pictures, "))
            #expect(try await run().hasPrefix("Nothing to do; 3 unchanged"))
            #expect(try files(in: "\(root)/in/out/b") == ["c.xs.jpg", "d.xs.jpg"])
            try FileManager.default.removeItem(atPath: "\(root)/in/out/b/c.xs.jpg")
            try write(picture(width: 61, height: 90), to: "\(root)/in/b/d.png")
            #expect(try await run().hasPrefix("Made 2 thumbnails of 2 pictures, "))
            try writeFile("\(root)/other.yaml", "imaging:\n  jpegQuality: 60\n")
            #expect(
                try await run("--config", "other.yaml").hasPrefix(
                    "Made 3 thumbnails of 3 pictures, "))
            #expect(
                try await run("--config", "other.yaml", "--force")
                    .hasPrefix("Made 3 thumbnails of 3 pictures, "))
        }
    }

    @Test func `thumbnails may stand beside their pictures`() async throws {
        try await withScratchDirectory { root in
            try write(picture(width: 60, height: 90), to: "\(root)/in/a.png")
            let arguments = ["thumb", "in", "-o", "in", "--levels", "xs", "--formats", "png"]
            for begin in ["Made 1 thumbnail of 1 picture, ", "Nothing to do; 1 unchanged\n"] {
                let finished = try await Executable.run(arguments, in: root)
                #expect(finished.output.hasPrefix(begin), "\(finished.error)")
                #expect(try files(in: "\(root)/in") == ["a.png", "a.xs.png"])
            }
        }
    }

    @Test func `a list names pictures, and a manifest says what came of them`() async throws {
        try await withScratchDirectory { root in
            try write(picture(width: 60, height: 90), to: "\(root)/p q.png")
            try writeFile(
                "\(root)/list.csv",
                "\u{FEFF}file,scan,id,name\r\nx,p q.png,one,\"First, of all\"\r\nx,gone.png,two,\r\nbad\r\n"
            )
            let finished = try await Executable.run(
                [
                    "thumb", "--list", "list.csv", "--url-column", "scan", "-o", "out", "--levels",
                    "xs", "--formats",
                    "jpeg", "--manifest", "made.jsonl", "--json",
                ], in: root)
            #expect(finished.status == 3)
            #expect(finished.error.contains("list.csv:4: it has 1 columns"))
            #expect(try files(in: "\(root)/out") == ["one.xs.jpg"])
            let manifest = try String(contentsOfFile: "\(root)/made.jsonl", encoding: .utf8)
            #expect(finished.output.hasPrefix(manifest))
            let lines = try manifest.split(separator: "\n").map {
                try JSONDecoder().decode(ThumbLine.self, from: Data($0.utf8))
            }.sorted { $0.input > $1.input }
            #expect(lines.map(\.status) == ["made", "failed"])
            #expect(lines[0].title == "First, of all")
            #expect(lines[0].outputs == ["out/one.xs.jpg"])
            #expect([lines[0].width, lines[0].height] == [60, 90])
            #expect(lines[0].digest?.hasPrefix("sha256-") == true)
            #expect(lines[0].thumbhash != nil && lines[0].color?.hasPrefix("#") == true)
            #expect(lines[1].reason == "No such file or directory.")
        }
    }

    @Test func `the status is 1 if no picture can be read`() async throws {
        try await withScratchDirectory { root in
            let finished = try await Executable.run(["thumb", "gone.jpg", "-o", "out"], in: root)
            #expect(finished.status == 1)
            #expect(finished.output.hasPrefix("Nothing made; 1 failed\n"))
        }
    }

    @Test func `a name that is too long fails alone`() async throws {
        try await withScratchDirectory { root in
            let long = String(repeating: "n", count: 250)
            for name in ["a", long] {
                try write(picture(width: 60, height: 90), to: "\(root)/in/\(name)")
            }
            let finished = try await Executable.run(
                ["thumb", "in", "-o", "out", "--levels", "xs", "--formats", "jpeg"], in: root)
            #expect(finished.status == 3)
            #expect(finished.error == "in/\(long): File name too long.\n")
            #expect(try files(in: "\(root)/out") == ["a.xs.jpg"])
        }
    }

    private struct Sheet: Decodable {
        struct Image: Decodable, Equatable { var url: String, width: Int, height: Int }
        struct Rectangle: Decodable, Equatable {
            var item: String, x: Int, y: Int, width: Int, height: Int, placeholder: Bool
        }

        var image: Image
        var items: [Rectangle]
    }

    @Test func `a sheet shows all pictures and its JSON has their positions`() async throws {
        try await withScratchDirectory { root in
            try write(picture(width: 200, height: 100), to: "\(root)/in/a.png")
            try write(picture(width: 60, height: 90), to: "\(root)/in/sheet.png")
            let finished = try await Executable.run(
                ["thumb", "in", "gone.jpg", "-o", "out", "--levels", "xs", "--sheet"], in: root)
            #expect(finished.status == 3, "\(finished.error)")
            #expect(finished.output.hasPrefix("Made 4 thumbnails of 2 pictures, "))
            #expect(
                finished.output.hasSuffix(
                    "\nsheet: out/sheet.s.webp, out/sheet.s.jpg, out/sheet.s.json\n"))
            #expect(
                try files(in: "\(root)/out") == [
                    "a.xs.jpg", "a.xs.webp", "sheet-2.xs.jpg", "sheet-2.xs.webp", "sheet.s.jpg",
                    "sheet.s.json", "sheet.s.webp",
                ])
            let json = try LocalFile.read("\(root)/out/sheet.s.json", limit: 1 << 20)
            let sheet = try JSONDecoder().decode(Sheet.self, from: Data(json))
            // Two columns and two rows of 160×240, with gutters of 10.
            #expect(sheet.image == .init(url: "sheet.s.webp", width: 350, height: 510))
            #expect(
                sheet.items == [
                    .init(item: "a", x: 10, y: 90, width: 160, height: 80, placeholder: false),
                    .init(
                        item: "sheet-2", x: 230, y: 85, width: 60, height: 90, placeholder: false),
                    .init(item: "gone", x: 10, y: 260, width: 160, height: 240, placeholder: true),
                ])
        }
    }

    @Test(arguments: [
        (["thumb", "in", "-o", "out"], 1, "vitrine: No picture in in; name files, direc"),
        (["thumb", "f", "-o", "f/out"], 1, "vitrine: Can't make the directory f/out: Not a dire"),
        (["thumb", "http://a.example/p", "-o", "out", "--ca-file", "no"], 78, "vitrine: "),
        (
            ["thumb", "f", "-o", "out", "--sheet", "--sheet-level", "q"], 64,
            "vitrine: --sheet-level: there is no level"
        ),
        (
            ["thumb", "f", "-o", "out", "--config", "small.yaml", "--sheet"], 64,
            "vitrine: --sheet: 1 pictures at level s make 5500×4500 pixels, more than the 160"
        ),
        (
            ["thumb", "f", "-o", "out", "--config", "gone.yaml"], 78,
            "vitrine: placeholder.file: Can't read gone.png: No such file"
        ),
        (
            ["thumb", "f", "-o", "out", "--config", "broken.yaml"], 78,
            "vitrine: placeholder.file: in/text.jpg can't be used: This is not a picture but text."
        ),
    ])
    func `an error that stops the run is one sentence and a status`(
        arguments: [String], status: Int32, begin: String
    ) async throws {
        try await withScratchDirectory { root in
            try writeFile("\(root)/in/text.jpg", "no picture")
            try writeFile("\(root)/f", "no directory")
            try writeFile("\(root)/small.yaml", "levels:\n  s: 5000x4000\n")
            try writeFile("\(root)/gone.yaml", "placeholder:\n  file: gone.png\n")
            try writeFile("\(root)/broken.yaml", "placeholder:\n  file: in/text.jpg\n")
            let finished = try await Executable.run(arguments, in: root)
            #expect(finished.status == status)
            #expect(finished.error.hasPrefix(begin), "\(finished.error)")
            #expect(finished.error.filter { $0 == "\n" }.count == 1)
            #expect(finished.output.isEmpty)
        }
    }
}
