package import Catalog
import TestSupport

/// What the harness plays of the Rijksmuseum; all of it made up, in the forms of real records.
extension Harness {
    package static let museumHosts = ["data.rijksmuseum.nl", "id.rijksmuseum.nl", "iiif.micr.io"]
    /// The ways to an object's picture at level m, in the order in which they are gone.
    package static func museumHops(_ number: Int = 1) -> [String] {
        [
            "/\(number)", "/2\(number)", "/3\(number)", "/P\(number)/info.json",
            museumPicture(number),
        ]
    }

    package static func museumPicture(_ number: Int = 1, size: String = "320,480") -> String {
        "/P\(number)/full/!\(size)/0/default.jpg"
    }

    package func museumObject(_ number: Int = 1) -> Item {
        Item(source: "rijksmuseum", kind: "object", id: "\(number)")
    }

    /// An object with its VisualItem, DigitalObject, size and picture, that at level m and half of it.
    package func serveMuseum(_ number: Int = 1) {
        let (records, pictures) = (Self.museumHosts[1], Self.museumHosts[2])
        origin.on("/\(number)", host: records, .json(Self.museumRecord(number)))
        origin.on(
            "/2\(number)", host: records,
            .json(
                """
                {"type":"VisualItem","subject_to":[{"classified_as":
                [{"id":"https://creativecommons.org/publicdomain/mark/1.0/"}]}],
                "digitally_shown_by":[{"id":"https://id.rijksmuseum.nl/3\(number)"}]}
                """))
        origin.on(
            "/3\(number)", host: records,
            .json(
                """
                {"type":"DigitalObject","access_point":
                [{"id":"https://iiif.micr.io/P\(number)/full/max/0/default.jpg"}]}
                """))
        origin.on(
            "/P\(number)/info.json", host: pictures,
            .json(#"{"width":4000,"height":3000,"maxArea":17550000}"#))
        origin.on(Self.museumPicture(number), host: pictures, .jpeg(Self.whole))
        origin.on(
            Self.museumPicture(number, size: "160,240"), host: pictures, .jpeg(Self.half))
    }

    private static let whole = FixtureImages.jpeg(width: 320, height: 240, seed: 4)
    private static let half = FixtureImages.jpeg(width: 160, height: 120, seed: 5)

    /// An object with a title in both languages, which shows its VisualItem.
    package static func museumRecord(_ number: Int) -> String {
        func name(_ text: String, _ language: String) -> String {
            """
            {"type":"Name","content":"\(text)","language":
            [{"id":"http://vocab.getty.edu/aat/\(language)"}]}
            """
        }
        return """
            {"id":"https://id.rijksmuseum.nl/\(number)","type":"HumanMadeObject","identified_by":
            [\(name("Wacht \(number)", "300388256")),\(name("Watch \(number)", "300388277")),
            {"type":"Identifier","content":"SK-\(number)","classified_as":
            ["http://vocab.getty.edu/aat/300312355"]}],
            "shows":[{"id":"https://id.rijksmuseum.nl/2\(number)"}]}
            """
    }

    /// Pages of a search by their token, still encoded and empty for the first, each with a link to
    /// the next one; all their objects can be read.
    package func serveMuseumPages(_ pages: [String: (numbers: [Int], next: String?)]) {
        for number in pages.values.flatMap(\.numbers) {
            origin.on("/\(number)", host: Self.museumHosts[1], .json(Self.museumRecord(number)))
        }
        let replies = pages.mapValues { page in
            let items = page.numbers.map { #"{"id":"https://id.rijksmuseum.nl/\#($0)"}"# }
            let link = page.next.map { #","next":{"id":"\#($0)"}"# } ?? ""
            return OriginReply.json(
                """
                {"id":"x","type":"OrderedCollectionPage","partOf":{"totalItems":7},
                "orderedItems":[\(items.joined(separator: ","))]\(link)}
                """)
        }
        origin.on("/search/collection", host: Self.museumHosts[0]) { request in
            replies[request.field("pageToken") ?? ""] ?? .status(400)
        }
    }
}
