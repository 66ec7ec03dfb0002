import Fetch
import JSON

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
    private static let rightsHosts = [
        HostPattern("creativecommons.org"), HostPattern("rightsstatements.org"),
    ]

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
            let rights = Self.rights(in: visual)
            for link in visual["digitally_shown_by"].links.prefix(Self.linksFollowed) {
                guard
                    let digital = try await readable({ (records) async throws(Failure) in
                        try await records.digitalObject(link)
                    })
                else { continue }
                guard Self.isOffered(digital) else {
                    isKeptBack = true
                    continue
                }
                let services = digital["access_point"].ids.lazy
                guard let service = services.compactMap(ImageService.init).first else { continue }
                self.rights = rights
                return service.candidate(try await records.most(of: service))
            }
            self.rights = self.rights ?? rights
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

    /// Returns the rights in a VisualItem's pictures, as a URL or a short text. The similar `subject_of` concerns
    /// the record and not the picture.
    private static func rights(in visual: JSON) -> String? {
        visual["subject_to"].nodes.lazy.compactMap { right in
            let names = right["identified_by"].nodes.filter { $0.content != nil }
            return right["classified_as"].ids.lazy
                .compactMap { CheckedURL($0, hosts: Self.rightsHosts)?.text }.first
                ?? (names.first { $0.language == .english } ?? names.first)?.content
        }.first
    }

    /// Returns whether the museum offers a picture for download. The image server returns every picture, so its
    /// clients must check.
    private static func isOffered(_ digital: JSON) -> Bool {
        !digital["referred_to_by"].nodes.contains { remark in
            ["niet downloadbaar", "niet zichtbaar"].contains(remark.content?.lowercased())
        }
    }
}
