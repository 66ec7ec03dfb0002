/// Resolves an object's picture: object → VisualItem → DigitalObject → image service.
///
/// Each record may link to several others. The first link that leads to a picture wins.
struct MuseumWalk {
    private let records: MuseumRecords
    private let link: MuseumLink
    private var rights: String?
    /// The first record that could not be read. If no other leads to a picture, we can't know
    /// whether one exists.
    private var unread: Failure?
    private var isKeptBack = false

    /// Records have one link of a kind. The bound limits the requests for an odd one.
    private static let linksFollowed = 8

    init(_ link: MuseumLink, _ records: MuseumRecords) {
        self.link = link
        self.records = records
    }

    /// Returns the object's entry and picture. The chain is empty if the object has no picture.
    mutating func details(of item: Item) async throws(Failure) -> ItemDetails {
        let object = try await records.object(link)
        guard object.isObject else {
            throw .notFound(reason: "Rijksmuseum's record \(link) is not of an object.")
        }
        let picture = try await picture(of: object)
        if picture == nil, let unread { throw unread }
        var details = ItemDetails(
            entry: object.entry(of: item), chain: picture.map { [.scalable($0)] } ?? [])
        details.entry.rights = rights
        if picture == nil {
            details.absence =
                isKeptBack
                ? "Rijksmuseum does not offer its picture of object \(link) for download."
                : "Rijksmuseum has no picture of object \(link)."
        }
        return details
    }

    private mutating func picture(
        of object: MuseumObject
    ) async throws(Failure) -> ScalableCandidate? {
        for link in object.pictures.prefix(Self.linksFollowed) {
            guard
                let visual = try await readable({ (records) async throws(Failure) in
                    try await records.visualItem(link)
                })
            else { continue }
            for link in visual.pictures.prefix(Self.linksFollowed) {
                guard
                    let digital = try await readable({ (records) async throws(Failure) in
                        try await records.digitalObject(link)
                    })
                else { continue }
                guard digital.isOffered else {
                    isKeptBack = true
                    continue
                }
                guard let service = digital.services.first else { continue }
                rights = visual.rights
                return service.candidate(try await records.info(service))
            }
            rights = rights ?? visual.rights
        }
        return nil
    }

    /// Returns `nil` if the record is gone or its request failed.
    private mutating func readable<Record>(
        _ read: (MuseumRecords) async throws(Failure) -> Record
    ) async throws(Failure) -> Record? {
        do throws(Failure) {
            return try await read(records)
        } catch {
            if error.isTransient {
                unread = unread ?? error
            } else if error.kind != .notFound {
                throw error
            }
            return nil
        }
    }
}
