import PlayedAPIs

/// The museum's records by their number: objects, visual items and digital objects.
struct RijksmuseumRecords: Sendable {
    private let records: [String: Record]

    private enum Record: Sendable {
        case object(DemoObject)
        case visualItem(DemoObject)
        case digitalObject(DemoObject, Int)
    }

    init(catalog: ObjectCatalog) {
        var records: [String: Record] = [:]
        for object in catalog.objects {
            records["\(object.number)"] = .object(object)
            records["\(object.visualItem)"] = .visualItem(object)
            for (position, id) in object.digitalObjects.enumerated() {
                records[id] = .digitalObject(object, position)
            }
        }
        self.records = records
    }

    /// `path` is a slash and a number.
    func answer(_ path: String) -> DemoAnswer {
        guard let record = records[String(path.dropFirst())] else {
            let isNumber = path.dropFirst().allSatisfy(\.isNumber)
            return .json(
                MuseumDocument.problem("Unknown identifier"), status: isNumber ? 400 : 404)
        }
        let json =
            switch record {
            case .object(let object): object.record.json
            case .visualItem(let object): object.visualItemJSON
            case .digitalObject(let object, let position): object.digitalObjectJSON(position)
            }
        var answer = DemoAnswer.json(json)
        answer.contentType = "application/ld+json"
        return answer
    }

    /// Of objects the docs' detour, of which they speak: a redirect to the other host.
    func takesDetour(_ path: String) -> Bool {
        guard case .object(let object) = records[String(path.dropFirst())] else { return false }
        return object.index % 13 == 3
    }
}
