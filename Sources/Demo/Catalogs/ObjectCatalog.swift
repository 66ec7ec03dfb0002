package import PlayedAPIs

/// An invented museum object.
package struct DemoObject: Sendable, Equatable {
    /// Its place in the collection, from 0.
    let index: Int
    let motif: Motif
    /// What the museum tells of it.
    package let record: MuseumObject
    /// Pixels of the photograph.
    let width: Int
    let height: Int
    /// Name of the photograph on the image server: five letters, `PJEZO`.
    let image: String

    package var number: Int { record.number }
    var isTiles: Bool { motif.name == "tiles" }
    var quirk: Quirk? { Quirk.rijksmuseum(object: index) }
    var visualItem: Int { number + 2_000_000 }

    /// Names of its digital objects: usually one.
    var digitalObjects: [String] {
        let codes = "500" + image.utf8.map(String.init).joined()
        return quirk == .secondDigitalObject ? [codes + "1", codes + "2"] : [codes]
    }

    fileprivate init(index: Int, image: String, _ random: inout SeededRandom) {
        self.index = index
        self.image = image
        let subject = random.pick(Words.rows("museum.titles"))
        let work = Words.rows("museum.works").first { $0[0] == subject[0] } ?? []
        let isTiles = subject[0] == "tiles"
        motif = Motif(name: subject[0])
        let place = Words.text("museum.places", &random)
        let things = Words.list(subject[1])
        let named = subject[2].contains("{b}") ? random.picks(2, of: things) : [random.pick(things)]
        func filled(_ pattern: String, _ language: KeyPath<Bilingual, String>) -> String {
            let names = named.map { Bilingual(row: $0, at: " | ")[keyPath: language] }
            var random = random
            return Words.filled(
                pattern, &random, ["place": place, "a": names[0], "b": names[names.count - 1]])
        }
        let makers = Words.list(isTiles ? "museum.potteries" : "museum.painters")
        let maker = random.integer(in: 0...(makers.count - 1))
        let year = random.integer(in: 1588...1712)
        let last = random.chance(0.3) ? year + random.integer(in: 2...9) : year
        // Numbers have gaps.
        var record = MuseumObject(
            200_310_000 + index * 7 + index % 3, title: filled(subject[2], \.dutch),
            englishTitle: index % 4 == 1 ? nil : filled(subject[3], \.english),
            objectNumber: "\(isTiles ? "BK-NM" : "SK-A")-\(random.integer(in: 100...999))\(index)")
        let sides = random.pick(work[2].split(separator: " ")).split(separator: "x")
            .compactMap { Int($0) }
        width = sides[0] - random.integer(in: 0...120)
        height = sides[1] - random.integer(in: 0...120)
        record.formerTitle = index % 4 == 2 ? filled(subject[4], \.dutch) : nil
        record.maker = .init(id: (isTiles ? 210_900 : 210_300) + maker, name: makers[maker])
        record.maker?.isAssigned = index % 6 == 5
        record.years = year...last
        if isTiles {
            record.type = Bilingual("tegeltableau", "tile panel")
            record.technique = Bilingual("beschilderen", "painting on glaze")
        }
        record.materials = work[1].split(separator: ", ").map { Bilingual(row: $0, at: " / ") }
        if Quirk.rijksmuseum(object: index) != .noVisualItem {
            record.visualItem = record.number + 2_000_000
        }
        self.record = record
    }
}

extension Bilingual {
    /// Dutch, then English; one word is of both languages.
    fileprivate init(row: some StringProtocol, at separator: String) {
        let words = row.split(separator: separator).map { String($0) }
        self.init(words[0], words[words.count - 1])
    }
}

/// Objects of the demo's museum, made from a seed.
package struct ObjectCatalog: Sendable {
    package let objects: [DemoObject]

    /// An object depends on the seed and its index alone, apart from the name of its image, which no
    /// earlier one has; so a larger collection begins with a smaller one.
    package init(seed: UInt64, count: Int) {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
        var images: Set<String> = []
        objects = (0..<count).map { index in
            var names = SeededRandom(seed: seed, 23, UInt64(index))
            var image = ""
            repeat {
                image = String((0..<5).map { _ in names.pick(letters) })
            } while !images.insert(image).inserted
            var random = SeededRandom(seed: seed, 24, UInt64(index))
            return DemoObject(index: index, image: image, &random)
        }
    }
}
