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
            let view = random.pick(mills)
            return (
                Bilingual("\(view.dutch) \(place)", "\(view.english) \(place)"),
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

    private static let places = Words.list("museum.places")
    private static let objects = Words.pairs("museum.objects")
    private static let ships = Words.pairs("museum.ships")
    private static let sitters = Words.pairs("museum.sitters")
    private static let mills = Words.pairs("museum.mills")
    private static let winters = Words.pairs("museum.winters")
    private static let motifs = Words.pairs("museum.motifs")
    private static let vessels = Words.pairs("museum.vessels")
    private static let churches = Words.list("museum.churches")
    private static let potteries = Words.list("museum.potteries")
    private static let painters = Words.list("museum.painters")
}
