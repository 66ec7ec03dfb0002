package import PlayedAPIs

/// An invented museum object.
package struct DemoObject: Sendable, Equatable {
    /// Its place in the collection, from 0.
    let index: Int
    let subject: ArtworkSubject
    /// What the museum tells of it.
    package let record: MuseumObject
    /// Pixels of the photograph.
    let width: Int
    let height: Int
    /// Name of the photograph on the image server.
    let image: String

    package var number: Int { record.number }

    /// Numbers have gaps.
    static func number(index: Int) -> Int { 200_310_000 + index * 7 + index % 3 }

    static func index(number: Int) -> Int? {
        let index = (number - 200_310_000) / 7
        return number >= 200_310_000 && number == self.number(index: index) ? index : nil
    }

    var quirk: MuseumQuirk? { MuseumQuirk(object: index) }

    var visualItem: Int { number + 2_000_000 }

    /// Names of its digital objects: usually one.
    var digitalObjects: [String] {
        let codes = "500" + image.utf8.map(String.init).joined()
        return quirk == .secondDigitalObject ? [codes + "1", codes + "2"] : [codes]
    }

    init(index: Int, image: String, _ random: inout SeededRandom) {
        self.index = index
        self.image = image
        subject = random.pick(ArtworkSubject.all)
        let titles = subject.titles(&random)
        let maker = subject.maker(&random)
        let year = random.integer(in: 1588...1712)
        let last = random.chance(0.3) ? year + random.integer(in: 2...9) : year
        let series = subject.isTiles ? "BK-NM" : "SK-A"
        var record = MuseumObject(
            Self.number(index: index), title: titles.title.dutch,
            englishTitle: index % 4 == 1 ? nil : titles.title.english,
            objectNumber: "\(series)-\(random.integer(in: 100...999))\(index)")
        let shape = random.pick(subject.shapes)
        width = shape.width - random.integer(in: 0...120)
        height = shape.height - random.integer(in: 0...120)
        record.style = index
        record.formerTitles =
            index % 4 == 2 ? [titles.former, "\(titles.title.dutch) (kopie)"] : []
        record.maker = maker
        record.years = year...last
        record.type = subject.type
        record.technique = subject.technique
        record.materials = subject.materials
        (record.width, record.height) = (width / 45, height / 45)
        if MuseumQuirk(object: index) != .noVisualItem {
            record.visualItem = record.number + 2_000_000
        }
        self.record = record
    }

    var visualItemJSON: JSON {
        MuseumDocument.visualItem(
            visualItem, of: number,
            digitalObjects: quirk == .noDigitalObject ? [] : digitalObjects,
            isPublic: quirk != .notDownloadable)
    }

    /// `position` is its place among the object's digital objects.
    func digitalObjectJSON(_ position: Int) -> JSON {
        let isLast = position == digitalObjects.count - 1
        return MuseumDocument.digitalObject(
            digitalObjects[position], of: visualItem,
            image: isLast && quirk != .noAccessPoint ? image : nil,
            isDownloadable: quirk != .notDownloadable, style: index)
    }

    var imageInfo: JSON {
        MuseumDocument.imageInfo(image, width: width, height: height, title: record.objectNumber)
    }
}

/// What an artwork shows, and how it is made.
struct ArtworkSubject: Sendable, Equatable {
    let motif: Motif
    /// List of the things that titles speak of.
    private let things: String
    /// Titles in Dutch and English, and one that it had formerly, in Dutch.
    private let patterns: [String]
    let materials: [Bilingual]
    /// Shapes of photographs, pixels.
    let shapes: [Shape]

    struct Shape: Sendable, Equatable {
        let width: Int
        let height: Int
    }

    static let all: [ArtworkSubject] = Words.rows("museum.titles").map { row in
        let work = Words.rows("museum.works").first { $0[0] == row[0] } ?? []
        return ArtworkSubject(
            motif: Motif.named(row[0])[0], things: row[1], patterns: Array(row.dropFirst(2)),
            materials: work[1].split(separator: ", ").map { Bilingual(row: $0, at: " / ") },
            shapes: work[2].split(separator: " ").map { text in
                let sides = text.split(separator: "x").compactMap { Int($0) }
                return Shape(width: sides[0], height: sides[1])
            })
    }

    var isTiles: Bool { motif.name == "tiles" }

    var type: Bilingual {
        isTiles ? Bilingual("tegeltableau", "tile panel") : Bilingual("schilderij", "painting")
    }

    var technique: Bilingual {
        isTiles
            ? Bilingual("beschilderen", "painting on glaze") : Bilingual("schilderen", "painting")
    }

    func titles(_ random: inout SeededRandom) -> (title: Bilingual, former: String) {
        let place = Words.text("museum.places", &random)
        let all = Words.list(self.things)
        let things = (patterns[0].contains("{b}") ? random.picks(2, of: all) : [random.pick(all)])
            .map { Bilingual(row: $0, at: " | ") }
        func filled(_ pattern: String, _ words: KeyPath<Bilingual, String>) -> String {
            var given = ["place": place, "a": things[0][keyPath: words]]
            given["b"] = things.last?[keyPath: words]
            var random = random
            return Words.filled(pattern, &random, given)
        }
        let title = Bilingual(filled(patterns[0], \.dutch), filled(patterns[1], \.english))
        return (title, filled(patterns[2], \.dutch))
    }

    func maker(_ random: inout SeededRandom) -> MuseumObject.Maker {
        let names = Words.list(isTiles ? "museum.potteries" : "museum.painters")
        let number = random.integer(in: 0...(names.count - 1))
        return isTiles
            ? .init(
                id: 210_900 + number, name: names[number],
                role: Bilingual("plateelbakkerij", "pottery"), isGroup: true)
            : .init(
                id: 210_300 + number, name: names[number], role: Bilingual("schilder", "painter"))
    }
}

extension Bilingual {
    /// Dutch, then English; one word is of both languages.
    fileprivate init(row: some StringProtocol, at separator: String) {
        let words = row.split(separator: separator).map { String($0) }
        self.init(words[0], words[words.count - 1])
    }
}
