/// Objects of the demo's museum, made from a seed.
package struct ObjectCatalogue: Sendable {
    package let objects: [DemoObject]
    private let byImage: [String: Int]

    /// An object depends on the seed and its index alone, apart from the name of its image, which no
    /// earlier one has; so a larger collection begins with a smaller one.
    package init(seed: UInt64, count: Int) {
        var images: [String: Int] = [:]
        objects = (0..<count).map { index in
            var names = SeededRandom(seed: seed, 23, UInt64(index))
            var image = Self.image(&names)
            while images[image] != nil { image = Self.image(&names) }
            images[image] = index
            var random = SeededRandom(seed: seed, 24, UInt64(index))
            return DemoObject(index: index, image: image, &random)
        }
        byImage = images
    }

    func object(number: Int) -> DemoObject? {
        DemoObject.index(number: number).flatMap {
            objects.indices.contains($0) ? objects[$0] : nil
        }
    }

    /// By the name of its photograph.
    func object(image: some StringProtocol) -> DemoObject? {
        byImage[String(image)].map { objects[$0] }
    }

    /// Five letters, `PJEZO`.
    private static func image(_ random: inout SeededRandom) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
        return String((0..<5).map { _ in random.pick(letters) })
    }
}

extension DemoObject {
    init(index: Int, image: String, _ random: inout SeededRandom) {
        self.index = index
        self.image = image
        subject = random.pick(ArtworkSubject.allCases)
        let (title, former) = ObjectWriter.titles(subject, &random)
        titles = ObjectTitles(
            dutch: title.dutch, english: index % 4 == 1 ? nil : title.english,
            former: index % 4 == 2 ? [former, "\(title.dutch) (kopie)"] : [])
        maker = ObjectWriter.maker(subject, &random)
        year = random.integer(in: 1588...1712)
        lastYear = random.chance(0.3) ? year + random.integer(in: 2...9) : year
        objectNumber =
            "\(subject == .tiles ? "BK-NM" : "SK-A")-\(random.integer(in: 100...999))\(index)"
        let shape = random.pick(subject.shapes)
        width = shape.width - random.integer(in: 0...120)
        height = shape.height - random.integer(in: 0...120)
    }
}
