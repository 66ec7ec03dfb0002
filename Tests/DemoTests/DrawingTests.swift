import Foundation
import Imaging
import Testing

@testable import Demo

/// Every template, small, twice.
@Suite(.timeLimit(.minutes(1))) struct DrawingTests {
    private func picture(_ motif: Motif, title: String = "A & <B>", seed: UInt64 = 3) throws
        -> Picture
    {
        try Picture(
            motif, words: ["title": title, "artist": "C \"D\"", "credits": "E\nF", "members": "3"],
            shape: (2, 3), SeededRandom(seed: seed))
    }

    private func svg(
        _ motif: Motif, title: String = "A & <B>", seed: UInt64 = 3
    ) throws -> String {
        let picture = try picture(motif, title: title, seed: seed)
        return String(decoding: try Filling.svg(picture, pixels: (60, 90)), as: UTF8.self)
    }

    @Test(arguments: Motif.all)
    func `equal seeds draw equal pictures, and other seeds others`(motif: Motif) throws {
        func drawn(_ seed: UInt64) throws -> [UInt8] {
            try picture(motif, seed: seed).draw(width: 60, height: 90).encodePNG()
        }
        #expect(try drawn(3) == drawn(3))
        #expect(try drawn(3) != drawn(4))
    }

    @Test(arguments: Motif.all)
    func `a filled-in template has no instructions left`(motif: Motif) throws {
        let svg = try svg(motif)
        #expect(!svg.contains("v:") && !svg.contains("class="))
        #expect(!svg.contains("{") && !svg.contains("nan"))
    }

    @Test(arguments: Motif.all)
    func `a template has a color for each of its classes, for browsers`(motif: Motif) throws {
        let text = String(decoding: motif.bytes, as: UTF8.self)
        let classes = text.matches(of: /\sclass="([^"]*)"/).flatMap { $0.1.split(separator: " ") }
        #expect(!classes.isEmpty)
        for name in Set(classes) { #expect(text.contains(".\(name){"), "\(name)") }
        _ = try Canvas(svg: motif.bytes)
    }

    @Test(arguments: Motif.list("posters"))
    func `titles are escaped, and may be missing`(motif: Motif) throws {
        #expect(try svg(motif).contains("&amp;"))
        #expect(try !svg(motif).uppercased().contains("<B>"))
        #expect(try !svg(motif, title: "").contains("&amp;"))
    }

    @Test(arguments: [(1, 1), (3, 200), (200, 3)])
    func `no shape is too odd to draw in`(width: Int, height: Int) throws {
        for motif in Motif.all {
            var picture = try picture(motif)
            picture.shape = (width, height)
            let canvas = try picture.draw(width: width, height: height)
            #expect(canvas.width == width && canvas.height == height)
        }
    }

    @Test func `every motif and every list that words name exists`() throws {
        let names = (Words.rows("motifs") + Words.rows("motifs.titles")).map { $0[1] }
        #expect(names.count > 30)
        for motif in names.flatMap(Motif.named) { #expect(Motif.all.contains(motif), "\(motif)") }
        for name in Words.names {
            let braces = Words.list(name).flatMap { $0.matches(of: /\{([a-z]+\.[A-Za-z.]+)[:}]/) }
            for list in braces { #expect(!Words.list(String(list.1)).isEmpty, "\(list.1)") }
        }
    }

    @Test func `each of a film's posters is another picture`() throws {
        let film = TMDBSiteTests.films.film(0)
        let artist = Artist(seed: 3)
        func poster(_ variant: Int) throws -> [UInt8] {
            try artist.poster(of: film, variant: variant).draw(width: 40, height: 60).encodePNG()
        }
        #expect(try poster(0) == poster(0))
        #expect(try Set([poster(0), poster(1), poster(2)]).count == 3)
    }

    @Test(arguments: ["1+", "r(1", "nothing(1)", "1 2)", "a=", ""])
    func `an expression that can't be read is an error`(text: String) {
        #expect(throws: TemplateError.self) { try ExpressionReader.expression(text) }
    }

    @Test(
        arguments: [
            ("1+2*3", 7), ("(1+2)*3", 9), ("-2-3", -5), ("6/4", 1.5), (".5>.2", 1),
            ("mix(10,20)", 15),
            ("max(2,min(9,5))", 5), ("mod(7,4)", 3), ("floor(2.9)", 2), ("W/2", 50), ("missing", 0),
            ("p(4,4)", 4), ("r(2,2)", 2), ("1/0", 0),
        ] as [(String, Double)])
    func `an expression has its value`(text: String, value: Double) throws {
        var context = Expression.Context(random: SeededRandom(seed: 1))
        context.values = ["W": 100, "t": 0.5]
        #expect(try ExpressionReader.expression(text).value(&context) == value)
    }
}
