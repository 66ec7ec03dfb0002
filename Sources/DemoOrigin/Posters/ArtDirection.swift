/// The ways a poster is drawn.
enum ArtDirection: Sendable, CaseIterable {
    case mountains, city, planet, shapes, horizon, waves, forest, neon, arches, botanical,
        lighthouse, deep

    /// Draws the whole picture and says where a title fits.
    func paint(_ scene: inout Scene) -> Scene.TitleArea {
        switch self {
        case .mountains: scene.mountains()
        case .city: scene.city()
        case .planet: scene.planet()
        case .shapes: scene.shapes()
        case .horizon: scene.horizon()
        case .waves: scene.waves()
        case .forest: scene.forest()
        case .neon: scene.neon()
        case .arches: scene.arches()
        case .botanical: scene.botanical()
        case .lighthouse: scene.lighthouse()
        case .deep: scene.deep()
        }
    }

    /// What suits a show or a film: often what its title speaks of, else what its genre looks like.
    static func suiting(
        title: String, genre: String?, _ random: inout SeededRandom
    ) -> ArtDirection {
        let subject = subjects.first { $0.words.contains(where: { title.contains($0) }) }
        if let subject, random.chance(0.6) { return random.pick(subject.directions) }
        return random.pick(suiting(genre))
    }

    private static let subjects: [(words: [String], directions: [ArtDirection])] = [
        (["Lighthouse", "Lantern", "Harbour", "Signal"], [.lighthouse, .lighthouse, .waves]),
        (["Whales", "Drowned", "Brine", "Beneath"], [.deep, .deep, .waves]),
        (["Tid", "Ferry", "Estuary", "Salt", "Monsoon"], [.waves, .waves, .horizon]),
        (["Orchard", "Bee", "Harvest", "Honey", "Nettle"], [.botanical, .botanical, .horizon]),
        (["Comets", "Satellites", "Observatory", "Star", "Meridian"], [.planet, .planet, .neon]),
        (["Glacier", "Snow", "Winter", "Weathervane"], [.mountains, .forest]),
        (["Fox", "Moss", "Feral", "Hollow"], [.forest, .forest, .arches]),
        (["Swallows", "Sparrows", "Herons", "Aviary"], [.horizon, .mountains, .botanical]),
        (["Labyrinth", "Archiv", "Parliament", "Behind"], [.arches, .arches, .shapes]),
        (["Electric", "Cobalt", "Clock"], [.neon, .city, .shapes]),
    ]

    private static func suiting(_ genre: String?) -> [ArtDirection] {
        switch genre {
        case "Crime", "Thriller": [.city, .city, .arches, .horizon, .shapes, .forest, .neon]
        case "Mystery", "Horror":
            [.forest, .arches, .city, .lighthouse, .lighthouse, .botanical, .deep]
        case "Science-Fiction": [.planet, .planet, .neon, .neon, .city, .horizon]
        case "Fantasy", "Adventure":
            [.mountains, .planet, .forest, .arches, .waves, .deep, .lighthouse]
        case "Comedy", "Family": [.shapes, .shapes, .botanical, .horizon, .waves, .deep]
        case "Romance": [.botanical, .waves, .mountains, .horizon]
        case "History": [.shapes, .arches, .mountains, .horizon]
        default: allCases
        }
    }

    /// Colours that suit it.
    var palettes: [Palette] {
        switch self {
        case .neon: [.neon, .dusk, .plum, .ember]
        case .city: [.dusk, .north, .neon, .ink, .ocean, .plum, .ember, .ice]
        case .forest: [.woodland, .north, .ice, .olive, .ink, .rose, .desert]
        case .planet: [.dusk, .neon, .ocean, .plum, .ember, .rose, .north, .lagoon]
        case .lighthouse: [.dusk, .north, .ocean, .ice, .plum, .rose, .ember, .lagoon]
        case .deep: [.ocean, .north, .lagoon, .plum, .ice, .dusk, .woodland]
        case .mountains, .shapes, .horizon, .waves, .arches, .botanical: Palette.forEverything
        }
    }
}
