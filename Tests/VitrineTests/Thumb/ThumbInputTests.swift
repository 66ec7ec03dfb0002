import Testing

@testable import Console
@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct ThumbInputTests {
    @Test(arguments: [
        ("photos/a.jpg", "a"), ("a", "a"), ("a.tar.gz", "a.tar"), (".hidden", ".hidden"),
        ("dir/", "dir"), ("https://a.example/x/poster.jpeg?key=secret#f", "poster"),
        ("https://a.example/", "a"), ("https://a.example/a:b%2F.png", "a_b%2F"), ("/", "picture"),
        ("..", "picture"), ("a\nb.png", "a_b"),
        ("dir/\u{301}a.jpg", "\u{301}a"),
    ])
    func `thumbnails begin with the name of their picture`(argument: String, name: String) {
        #expect(ThumbInput.named([.init(place: .init(argument))]).map(\.name) == [name])
    }

    @Test(arguments: [
        (["x/a.jpg", "y/a.png", "z/a.webp"], ["a", "a-2", "a-3"]),
        (["x/a.jpg", "y/a.png", "z/a-2.webp"], ["a", "a-3", "a-2"]),
        (["a-2.jpg", "a.jpg", "b/a.jpg", "b/a-2.jpg"], ["a-2", "a", "a-3", "a-2-2"]),
        (["a.jpg", "b.jpg"], ["a", "b"]),
        // é in one character and in two are two names of files.
        (["\u{E9}.jpg", "e\u{301}.jpg"], ["\u{E9}", "e\u{301}"]),
    ])
    func `equal names get distinct numbers`(
        arguments: [String], names: [String]
    ) {
        let pictures = arguments.map { ThumbInput.Unnamed(place: .init($0)) }
        #expect(ThumbInput.named(pictures).map(\.key) == names.map { Array($0.utf8) })
    }

    @Test func `pictures of a directory keep their place, and their extension if it alone differs`()
    {
        func found(_ path: String, _ below: String) -> ThumbInput.Unnamed {
            .init(place: .file("in/\(below)\(path)"), below: below, isInDirectory: true)
        }
        let pictures = [
            found("cover.jpg", "a/"), found("cover.jpg", "b/"), found("cover.png", "b/"),
            found("x.jpg", ""),
        ]
        #expect(
            ThumbInput.named(pictures).map(\.name) == [
                "a/cover", "b/cover.jpg", "b/cover.png", "x",
            ])
    }

    @Test func `the id of a list becomes the name`() {
        let ids = ["7", "a/b", "7", "../\u{301}c"]
        let pictures = ids.map { ThumbInput.Unnamed(place: .file("p.jpg"), id: $0, title: "T") }
        #expect(ThumbInput.named(pictures).map(\.name) == ["7", "a_b", "7-2", ".._\u{301}c"])
    }

    @Test func `no picture gets a reserved name`() {
        let places = ["sheet.jpg", "a.jpg", "x/sheet.png"].map {
            ThumbInput.Unnamed(place: .init($0))
        }
        #expect(
            ThumbInput.named(places, reserved: ["sheet"]).map(\.name) == [
                "sheet-2", "a", "sheet-3",
            ])
    }

    @Test func `the query of a URL is not part of its name`() {
        let place = ThumbInput.Place("https://a.example/p.jpg?key=secret#f")
        #expect("\(place)" == "https://a.example/p.jpg")
        #expect(place == .url("https://a.example/p.jpg?key=secret#f"))
    }
}
