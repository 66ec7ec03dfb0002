/// Titles of shows that don't exist.
enum TitleWriter {
    static func title(_ random: inout SeededRandom) -> String {
        switch random.integer(in: 0...13) {
        case 0, 1: "The \(random.pick(adjectives)) \(random.pick(nouns))"
        case 2: "\(random.pick(nouns)) of \(random.pick(materials))"
        case 3, 4: "\(random.pick(adjectives)) \(random.pick(nouns))"
        case 5: "\(random.pick(names))’s \(random.pick(nouns))"
        case 6: random.pick(places)
        case 7: "\(random.pick(numbers)) \(random.pick(plurals))"
        case 8: "\(random.pick(gerunds)) \(random.pick(random.chance(0.3) ? places : plurals))"
        case 9: "\(random.pick(nouns)) & \(random.pick(materials))"
        case 10: "The \(random.pick(professions)) of \(random.pick(places))"
        case 11: "\(random.pick(prepositions)) the \(random.pick(nouns))"
        case 12: "\(random.pick(names)) and the \(random.pick(plurals))"
        default: "A \(random.pick(measures)) of \(random.pick(plurals))"
        }
    }

    static let adjectives = [
        "Hollow", "Paper", "Velvet", "Salt", "Amber", "Distant", "Borrowed", "Crooked", "Drowned",
        "Electric", "Feral", "Gilded", "Hushed", "Inward", "Lacquered", "Marble", "Nettle",
        "Obsidian", "Patient", "Quiet", "Restless", "Slanted", "Tidal", "Unlit", "Wandering",
        "Winter", "Copper", "Cobalt", "Barefoot", "Clockwork",
    ]
    static let nouns = [
        "Lighthouse", "Orchard", "Meridian", "Harbour", "Ferry", "Parliament", "Aviary", "Archive",
        "Lantern", "Observatory", "Causeway", "Almanac", "Carousel", "Glacier", "Harvest",
        "Junction", "Labyrinth", "Monsoon", "Nocturne", "Overture", "Pendulum", "Quarry",
        "Reservoir", "Signal", "Tributary", "Verdict", "Weathervane", "Estuary", "Foundry",
        "Tollgate", "Menagerie", "Ballroom",
    ]
    static let plurals = [
        "Swallows", "Lanterns", "Tides", "Sparrows", "Thieves", "Orchards", "Clocks", "Foxes",
        "Rivers", "Whales", "Satellites", "Beekeepers", "Strangers", "Bridges", "Comets",
        "Cartwheels", "Postcards", "Herons", "Trombones", "Mirrors",
    ]
    static let materials = [
        "Glass", "Ash", "Honey", "Thunder", "Ivory", "Smoke", "Rain", "Iron", "Snow", "Moss",
        "Tin", "Linen", "Starlight", "Brine", "Ember",
    ]
    static let names = [
        "Marlowe", "Odalys", "Thackeray", "Ingrid", "Bartholomew", "Saoirse", "Lucinda", "Anselm",
        "Philippa", "Tobias", "Yusuf", "Hanneke", "Clementine", "Ezra", "Magnolia", "Wren",
    ]
    static let places = [
        "Saltmere", "Ashgrove", "Kestrel Bay", "Vinterhavn", "Low Barrow", "Copperfell",
        "Santa Calma", "Hollin Reach", "Port Elegy", "Mistral", "Nine Elms Hollow", "Tarn Hollow",
        "Ostrava Line", "Blackthorn Quay", "Windermoor", "Little Perdita",
        "Orrin Sound", "Cold Marrow", "Sablewick", "Larkspur Junction", "Upper Fennimore",
        "Pelican Street", "Brackwater", "Isle of Sorrel",
    ]
    static let numbers = ["Two", "Three", "Four", "Six", "Seven", "Nine", "Eleven", "Forty"]
    static let gerunds = [
        "Counting", "Leaving", "Mending", "Chasing", "Borrowing", "Painting", "Forgetting",
        "Whispering to", "Teaching", "Following",
    ]
    static let professions = [
        "Cartographer", "Clockmaker", "Apothecary", "Stationmaster", "Falconer", "Notary",
        "Glassblower", "Lamplighter", "Archivist", "Ferryman", "Understudy", "Beekeeper",
    ]
    static let prepositions = ["Beneath", "Beyond", "After", "Before", "Behind", "Above"]
    static let measures = ["Handful", "Murmur", "Season", "Ledger", "Choir", "Pocketful"]
}
