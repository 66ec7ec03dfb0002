import Testing

@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct ThumbInputTests {
    @Test(arguments: [
        ("photos/a.jpg", "a"), ("a", "a"), ("a.tar.gz", "a.tar"), (".hidden", ".hidden"),
        ("dir/", "dir"), ("https://a.example/x/poster.jpeg?key=secret#f", "poster"),
        ("https://a.example/", "a"), ("https://a.example/a:b%2F.png", "a_b%2F"), ("/", "picture"),
        ("..", "picture"), ("a\nb.png", "a_b"),
    ])
    func `thumbnails begin with the name of their picture`(argument: String, name: String) {
        #expect(ThumbInput.named([ThumbInput.Place(argument)]).map(\.name) == [name])
    }

    @Test(arguments: [
        (["x/a.jpg", "y/a.png", "z/a.webp"], ["a", "a-2", "a-3"]),
        (["x/a.jpg", "y/a.png", "z/a-2.webp"], ["a", "a-3", "a-2"]),
        (["a-2.jpg", "a.jpg", "b/a.jpg", "b/a-2.jpg"], ["a-2", "a", "a-3", "a-2-2"]),
        (["a.jpg", "b.jpg"], ["a", "b"]),
    ])
    func `equal names get distinct numbers`(
        arguments: [String], names: [String]
    ) {
        #expect(ThumbInput.named(arguments.map(ThumbInput.Place.init)).map(\.name) == names)
    }

    @Test func `no picture gets a reserved name`() {
        let places = ["sheet.jpg", "a.jpg", "x/sheet.png"].map(ThumbInput.Place.init)
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
