import App
import Foundation
import TestSupport
import Testing

@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct ThumbCommandTests {
    /// An uncompressed gray TIFF (revision 6.0) that gets lighter to the right.
    private func picture(width: Int, height: Int) -> Data {
        func bytes(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(value >> ($0 * 8) & 0xff) }
        }
        // Width, height, bits, no compression, black is zero, strip, samples, rows, strip's bytes.
        let fields = [
            (256, width), (257, height), (258, 8), (259, 1), (262, 1), (273, 122), (277, 1),
            (278, height), (279, width * height),
        ]
        var file: [UInt8] = [0x49, 0x49, 42, 0] + bytes(8, 4) + bytes(fields.count, 2)
        for (tag, value) in fields {
            file += bytes(tag, 2) + bytes(4, 2) + bytes(1, 4) + bytes(value, 4)
        }
        file += bytes(0, 4)
        for _ in 0..<height { file += (0..<width).map { UInt8($0 * 255 / width) } }
        return Data(file)
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
            for index in 1...6 {
                try write(
                    picture(width: 90 + 7 * index, height: 80), to: "\(root)/in/\(index).tif")
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
            #expect(seen[0].count == 48)
            #expect(seen[0] == seen[1])
        }
    }

    @Test func `every picture below a directory is rendered in every level and format`()
        async throws
    {
        try await withScratchDirectory { root in
            try write(picture(width: 200, height: 100), to: "\(root)/in/a.tif")
            try write(picture(width: 60, height: 90), to: "\(root)/in/deep/b.jpg")
            try writeFile("\(root)/in/readme.jpg", "no picture")
            let arguments = ["thumb", "in", "-o", "out/thumbs", "--levels", "s,xs"]
            let finished = try await Executable.run(arguments, in: root)
            #expect(finished.status == 0, "\(finished.error)")
            #expect(finished.error.isEmpty)
            #expect(finished.output.hasPrefix("2 pictures, 8 thumbnails, "))
            let names = try files(in: "\(root)/out/thumbs")
            #expect(
                names == [
                    "a.s.jpg", "a.s.webp", "a.xs.jpg", "a.xs.webp", "b.s.jpg", "b.s.webp",
                    "b.xs.jpg", "b.xs.webp",
                ])
            let before = try names.map {
                try LocalFile.read("\(root)/out/thumbs/\($0)", limit: 1 << 20)
            }
            for (name, bytes) in zip(names, before) {
                let isWebP = name.hasSuffix(".webp")
                #expect(bytes.starts(with: isWebP ? Array("RIFF".utf8) : [0xff, 0xd8]), "\(name)")
            }
            let second = try await Executable.run(arguments, in: root)
            #expect(second.status == 0)
            #expect(try files(in: "\(root)/out/thumbs") == names)
            let after = try names.map {
                try LocalFile.read("\(root)/out/thumbs/\($0)", limit: 1 << 20)
            }
            #expect(after == before)
        }
    }

    @Test func `failed pictures are listed, the others are rendered, and the status is 3`()
        async throws
    {
        try await withScratchDirectory { root in
            try write(picture(width: 20, height: 20), to: "\(root)/good.tif")
            try writeFile("\(root)/page.jpg", "<html>not found</html>")
            let finished = try await Executable.run(
                [
                    "thumb", "page.jpg", "good.tif", "gone.jpg", "http://127.0.0.1:1/p.jpg?key=1",
                    "-o", "out", "--levels", "m", "--formats", "webp",
                ], in: root)
            #expect(finished.status == 3)
            #expect(try files(in: "\(root)/out") == ["good.m.webp"])
            let lines = finished.error.split(separator: "\n").sorted()
            #expect(lines.count == 3)
            #expect(lines.first == "gone.jpg: No such file or directory.")
            #expect(lines.dropFirst().first?.hasPrefix("http://127.0.0.1:1/p.jpg: ") == true)
            #expect(lines.last?.hasPrefix("page.jpg: ") == true)
            #expect(finished.output.hasPrefix("4 pictures, 1 thumbnail, "))
            #expect(finished.output.hasSuffix(", 3 failed\n"))
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
            try write(picture(width: 200, height: 100), to: "\(root)/in/a.tif")
            try write(picture(width: 60, height: 90), to: "\(root)/in/sheet.tif")
            let finished = try await Executable.run(
                ["thumb", "in", "gone.jpg", "-o", "out", "--levels", "xs", "--sheet"], in: root)
            #expect(finished.status == 3, "\(finished.error)")
            #expect(finished.output.hasPrefix("3 pictures, 4 thumbnails, "))
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
        (["thumb", "f", "-o", "out", "--levels", "q"], 64, "vitrine: --levels: there is no level"),
        (["thumb", "http://a.example/p", "-o", "out", "--ca-file", "no"], 78, "vitrine: "),
        (["thumb", "f", "-o", "out", "--sheet-level", "m"], 64, "vitrine: --sheet-level is for a"),
        (
            ["thumb", "f", "-o", "out", "--sheet", "--sheet-level", "q"], 64,
            "vitrine: --sheet-level: there is no level"
        ),
        (
            ["thumb", "f", "-o", "out", "--config", "small.yaml", "--sheet"], 64,
            "vitrine: --sheet: 1 pictures at level s make 180×260 pixels, and sheet.maxPixels is"
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
            try writeFile("\(root)/small.yaml", "sheet:\n  maxPixels: 10000\n")
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
