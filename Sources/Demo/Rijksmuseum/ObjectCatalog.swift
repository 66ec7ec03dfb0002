import PlayedAPIs

/// Objects of the demo's museum, made from a seed.
package struct ObjectCatalog: Sendable {
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
