package import Catalog
package import JSON
import PlayedAPIs
import TestSupport

/// The Rijksmuseum as the harness plays it, with invented contents.
extension Harness {
    package static let museumHosts = [
        MuseumDocument.searchHost, MuseumDocument.recordHost, MuseumDocument.imageHost,
    ]
    /// The requests for an object's picture at level m, in their order.
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

    /// An object with its VisualItem, DigitalObject, size and picture, that at level m and half of
    /// it.
    package func serveMuseum(_ number: Int = 1) {
        let (records, pictures) = (Self.museumHosts[1], Self.museumHosts[2])
        origin.on("/\(number)", host: records, .json(Self.museumRecord(number)))
        let visualItem = MuseumDocument.visualItem(
            Self.visualItem(number), of: number, digitalObjects: ["3\(number)"])
        origin.on("/2\(number)", host: records, .json(visualItem.text))
        origin.on("/3\(number)", host: records, .json(Self.digitalObject(number).text))
        let info = MuseumDocument.imageInfo("P\(number)", width: 4_000, height: 3_000)
        origin.on("/P\(number)/info.json", host: pictures, .json(info.text))
        origin.on(Self.museumPicture(number), host: pictures, .jpeg(Self.whole))
        origin.on(
            Self.museumPicture(number, size: "160,240"), host: pictures, .jpeg(Self.half))
    }

    private static let whole = FixtureImages.jpeg(width: 320, height: 240, seed: 4)
    private static let half = FixtureImages.jpeg(width: 160, height: 120, seed: 5)

    private static func visualItem(_ number: Int) -> Int { Int("2\(number)") ?? 0 }

    package static func digitalObject(_ number: Int) -> JSON {
        MuseumDocument.digitalObject("3\(number)", of: visualItem(number), image: "P\(number)")
    }

    /// An object with a title in both languages, which shows its VisualItem.
    package static func museumRecord(_ number: Int) -> String {
        var object = MuseumObject(
            number, title: "Wacht \(number)", englishTitle: "Watch \(number)",
            objectNumber: "SK-\(number)")
        object.visualItem = visualItem(number)
        return object.json.text
    }

    /// Pages of a search by their token, still encoded and empty for the first, each with a link to
    /// the next one; all their objects can be read.
    package func serveMuseumPages(_ pages: [String: (numbers: [Int], next: String?)]) {
        for number in pages.values.flatMap(\.numbers) {
            origin.on("/\(number)", host: Self.museumHosts[1], .json(Self.museumRecord(number)))
        }
        let replies = pages.mapValues { page in
            OriginReply.json(
                MuseumDocument.page(page.numbers, total: 7, address: "x", next: page.next).text)
        }
        origin.on("/search/collection", host: Self.museumHosts[0]) { request in
            replies[request.field("pageToken") ?? ""] ?? .status(400)
        }
    }
}
