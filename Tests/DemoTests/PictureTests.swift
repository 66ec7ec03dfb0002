import Imaging
import Logging
import TestSupport
import Testing

@testable import Demo

/// Every motif, small.
@Suite(.timeLimit(.minutes(1))) struct PictureTests {
    private func picture(_ motif: Motif, title: String = "A & <B>", seed: UInt64 = 3) -> Picture {
        Picture(
            motif, words: ["title": title, "artist": "C \"D\"", "credits": "E\nF", "members": "3"],
            shape: (2, 3), SeededRandom(seed: seed))
    }

    @Test(arguments: Motif.all)
    func `equal seeds draw equal pictures, and other seeds others`(motif: Motif) throws {
        func drawn(_ seed: UInt64) throws -> [UInt8] {
            try picture(motif, seed: seed).draw(width: 60, height: 90).encodePNG()
        }
        #expect(try drawn(3) == drawn(3))
        #expect(try drawn(3) != drawn(4))
    }

    @Test(arguments: Motif.list("posters"))
    func `titles are escaped, and may be missing`(motif: Motif) {
        func svg(_ title: String) -> String {
            picture(motif, title: title).svg(width: 60, height: 90)
        }
        #expect(svg("A & <B>").contains("&amp;"))
        #expect(!svg("A & <B>").uppercased().contains("<B>"))
        #expect(!svg("").contains("&amp;"))
    }

    @Test(arguments: [(1, 1), (3, 200), (200, 3)])
    func `no shape is too odd to draw in`(width: Int, height: Int) throws {
        for motif in Motif.all {
            var picture = picture(motif)
            picture.shape = (width, height)
            let canvas = try picture.draw(width: width, height: height)
            #expect(canvas.width == width && canvas.height == height)
        }
    }

    @Test func `every motif, palette and list that words name exists`() {
        let names = (Words.rows("motifs") + Words.rows("motifs.titles")).map { $0[1] }
        #expect(names.count > 30)
        for motif in names.flatMap(Motif.named) { #expect(Motif.all.contains(motif), "\(motif)") }
        for motif in Motif.all { #expect(!motif.palettes.isEmpty, "\(motif)") }
        for row in Words.rows("motifs.palettes") {
            for name in row[1].split(separator: " ") {
                #expect(Palette.all[String(name)] != nil, "\(name)")
            }
        }
        for name in Words.names {
            let braces = Words.list(name).flatMap { $0.matches(of: /\{([a-z]+\.[A-Za-z.]+)[:}]/) }
            for list in braces { #expect(!Words.list(String(list.1)).isEmpty, "\(list.1)") }
        }
    }

    @Test func `each of a film's posters is another picture, and equal seeds draw it again`() throws
    {
        let film = try #require(
            PlayedDemo.origin.films.films.first { $0.images(.poster).count > 2 })
        func poster(_ variant: Int, _ seed: UInt64 = 3) throws -> [UInt8] {
            try Artist(seed: seed).picture(of: film.images(.poster)[variant])
                .draw(width: 40, height: 60).encodePNG()
        }
        #expect(try poster(0) == poster(0))
        #expect(try poster(0) != poster(0, 4))
        #expect(try Set([poster(0), poster(1), poster(2)]).count == 3)
    }

    private func host(_ maxBytes: Int) -> PictureHost {
        PictureHost(seed: 1, maxBytes: maxBytes, logger: Logger(label: "test"))
    }

    private let request = DemoRequest(path: "/")

    @Test func `requests at the same time share one drawing, for all of its files`() async {
        let host = host(1_000)
        let request = request
        await withTaskGroup(of: [UInt8].self) { group in
            for index in 0..<40 {
                group.addTask {
                    let file = PictureHost.File(drawing: "one", index: index % 2, modified: 0)
                    return await host.answer(request, file) { [[1, 2, 3], [4]] }.body
                }
            }
            #expect(await group.reduce(into: Set()) { $0.insert($1) } == [[1, 2, 3], [4]])
        }
        #expect(await host.drawings == 1)
    }

    @Test func `the bound drops what was not used for longest`() async {
        let host = host(29)
        for key in ["0", "1", "0", "2", "0", "1"] {
            _ = await host.answer(request, .init(drawing: key, modified: 0)) {
                [Array(repeating: 0, count: 10)]
            }
        }
        // 0, 1 and 2 were drawn once; 2 pushed out 1, which was then drawn again.
        #expect(await host.drawings == 4)
    }

    @Test func `a drawing that fails is a 500, and is tried again`() async {
        struct Broken: Error {}
        let host = host(100)
        let file = PictureHost.File(drawing: "one", modified: 0)
        #expect(await host.answer(request, file) { throw Broken() }.status == 500)
        #expect(await host.answer(request, file) { [[7]] }.body == [7])
    }

    @Test func `a matching validator is answered with 304 and without drawing`() async throws {
        let host = host(100)
        let file = PictureHost.File(drawing: "one", modified: 1_600_000_000)
        let fields = await host.answer(request, file) { [[7]] }.fields
        let tag = try #require(fields["ETag"])
        var request = request
        for given in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
            request.ifNoneMatch = given
            let answer = await host.answer(request, file) { [[8]] }
            #expect(answer.status == 304, "\(given)")
            #expect(answer.body.isEmpty && answer.fields["ETag"] == tag)
        }
        request.ifNoneMatch = nil
        request.ifModifiedSince = fields["Last-Modified"]
        #expect(await host.answer(request, file) { [[8]] }.status == 304)
        request.ifNoneMatch = "\"other\""
        #expect(await host.answer(request, file) { [[8]] }.status == 200)
        #expect(await host.drawings == 1)
    }
}
