/// Titles and makers of museum objects that don't exist, in Dutch and English.
enum ObjectWriter {
    static func titles(
        _ subject: ArtworkSubject, _ random: inout SeededRandom
    ) -> (title: Bilingual, former: String) {
        let place = random.pick(places)
        switch subject {
        case .stillLife:
            let things = random.picks(2, of: objects)
            return (
                Bilingual(
                    "Stilleven met \(things[0].dutch) en \(things[1].dutch)",
                    "Still Life with \(things[0].english) and \(things[1].english)"),
                "Ontbijtje met \(things[0].dutch)"
            )
        case .harbour:
            let kind = random.pick(ships)
            return (
                Bilingual("\(kind.dutch) voor \(place)", "\(kind.english) off \(place)"),
                "Riviergezicht bij \(place)"
            )
        case .portrait:
            let sitter = random.pick(sitters)
            return (
                Bilingual("Portret van \(sitter.dutch)", "Portrait of \(sitter.english)"),
                "Een burger van \(place)"
            )
        case .windmill:
            let (dutch, english) = random.pick(mills)
            return (
                Bilingual("\(dutch) \(place)", "\(english) \(place)"),
                "Polderlandschap"
            )
        case .winter:
            let scene = random.pick(winters)
            return (
                Bilingual("\(scene.dutch) \(place)", "\(scene.english) \(place)"),
                "Wintergezicht"
            )
        case .tiles:
            let motif = random.pick(motifs)
            return (
                Bilingual("Tegeltableau met \(motif.dutch)", "Tile Panel with \(motif.english)"),
                "Tegelveld"
            )
        case .bouquet:
            let vessel = random.pick(vessels)
            return (
                Bilingual("Boeket in \(vessel.dutch)", "Bouquet in \(vessel.english)"),
                "Bloemstuk"
            )
        case .interior:
            let church = random.pick(churches)
            return (
                Bilingual(
                    "Interieur van de \(church) te \(place)",
                    "Interior of the \(church) in \(place)"),
                "Kerkinterieur"
            )
        }
    }

    static func maker(_ subject: ArtworkSubject, _ random: inout SeededRandom) -> ObjectMaker {
        if subject == .tiles {
            let number = random.integer(in: 0...(potteries.count - 1))
            return ObjectMaker(
                id: 210_900 + number, name: potteries[number],
                role: Bilingual("plateelbakkerij", "pottery"), isGroup: true)
        }
        let number = random.integer(in: 0...(painters.count - 1))
        return ObjectMaker(
            id: 210_300 + number, name: painters[number], role: Bilingual("schilder", "painter"))
    }

    private static let places = [
        "Zoutmeer", "Veldoord", "Oud-Hemelrijk", "Wissekercke", "Ter Nesse", "Lageveen",
        "Sint-Odulf", "Brakwaard", "Kievitsdam", "Noorderhage", "Drieschor aan Zee",
        "Waalwijkerzand",
    ]
    private static let objects = [
        Bilingual("tinnen kan", "a Pewter Jug"), Bilingual("citroenen", "Lemons"),
        Bilingual("oesters", "Oysters"), Bilingual("een Chinese kom", "a Chinese Bowl"),
        Bilingual("kaas", "Cheeses"), Bilingual("druiven", "Grapes"),
        Bilingual("een roemer", "a Rummer"), Bilingual("perziken", "Peaches"),
        Bilingual("walnoten", "Walnuts"), Bilingual("een zilveren schaal", "a Silver Dish"),
    ]
    private static let ships = [
        Bilingual("Schepen", "Ships"), Bilingual("Vissersboten", "Fishing Boats"),
        Bilingual("Oorlogsschepen bij kalm weer", "Men-of-War in a Calm"),
        Bilingual("Een fluitschip", "A Fluyt"), Bilingual("De veerpont", "The Ferry"),
    ]
    private static let sitters = [
        Bilingual("een vrouw met molensteenkraag", "a Woman with a Millstone Ruff"),
        Bilingual("een man met breedgerande hoed", "a Man in a Wide-Brimmed Hat"),
        Bilingual("een geleerde", "a Scholar"), Bilingual("een jong meisje", "a Young Girl"),
        Bilingual("Machteld Brakman, weduwe", "Machteld Brakman, Widow"),
        Bilingual("Gerrit Oordijk, brouwer", "Gerrit Oordijk, Brewer"),
        Bilingual("een vaandrig", "an Ensign"),
    ]
    private static let mills = [
        ("Landschap met molen bij", "Landscape with a Windmill near"),
        ("De molen van", "The Windmill of"), ("Gezicht op", "View of"),
        ("Polder met twee molens bij", "Polder with Two Windmills near"),
    ]
    private static let winters = [
        Bilingual("IJsvermaak bij", "Skating near"),
        Bilingual("Winterlandschap bij", "Winter Landscape near"),
        Bilingual("De bevroren gracht van", "The Frozen Canal of"),
    ]
    private static let motifs = [
        Bilingual("bloempotten", "Flower Pots"), Bilingual("ossenkoppen", "Ox-Head Corners"),
        Bilingual("sterren en lelies", "Stars and Lilies"), Bilingual("zeedieren", "Sea Creatures"),
        Bilingual("granaatappels", "Pomegranates"),
    ]
    private static let vessels = [
        Bilingual("een glazen vaas", "a Glass Vase"), Bilingual("een aarden kruik", "a Stone Jar"),
        Bilingual("een nis", "a Niche"), Bilingual("een mand", "a Basket"),
    ]
    private static let churches = ["Sint-Odulfskerk", "Grote Kerk", "Walenkerk", "Nieuwe Kapel"]
    private static let potteries = [
        "De Blauwe Reiger", "Het Oude Schip", "De Drie Lelies", "De Tinnen Roos",
    ]
    private static let painters = [
        "Cornelis van der Wissel", "Aaltje Brakman", "Hendrick Zoutveld", "Pieter Claesz. Oordijk",
        "Judith van Noorderhage", "Salomon Kievit", "Maerten de Ruyte", "Gesina Terwey",
        "Adriaen Lagendijk", "Anna Israëls-Bol", "Jan Wouterszoon", "meester van Veldoord",
    ]
}
