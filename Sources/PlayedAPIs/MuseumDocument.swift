package import JSON

/// The same words in Dutch and English.
package struct Bilingual: Sendable, Equatable {
    package let dutch: String
    package let english: String

    package init(_ dutch: String, _ english: String) {
        self.dutch = dutch
        self.english = english
    }
}

/// The Rijksmuseum's documents besides objects: what lies between an object and its picture, and
/// pages of a search.
package enum MuseumDocument {
    package static let searchHost = "data.rijksmuseum.nl"
    package static let recordHost = "id.rijksmuseum.nl"
    package static let imageHost = "iiif.micr.io"

    /// Limit of the square pixels that the image server returns for a requested size.
    package static let maxArea = 17_550_000

    /// What an object shows.
    ///
    /// - Parameters:
    ///   - digitalObjects: names of the records of its pictures.
    ///   - isPublic: whether it is out of copyright.
    package static func visualItem(
        _ number: Int, of object: Int, digitalObjects: [String], isPublic: Bool = true
    ) -> JSON {
        let right =
            isPublic
            ? "https://creativecommons.org/publicdomain/mark/1.0/"
            : "https://rightsstatements.org/vocab/InC/1.0/"
        let fields =
            record(number, "VisualItem") + [
                "subject_to": [["type": "Right", "classified_as": [node(right, "Type")]]],
                "shown_by": [record(object, "HumanMadeObject")],
            ]
        guard !digitalObjects.isEmpty else { return fields }
        let pictures = digitalObjects.map { record($0, "DigitalObject") }
        return fields + ["digitally_shown_by": .list(pictures)]
    }

    /// One picture of a visual item.
    ///
    /// - Parameters:
    ///   - image: its name on the image server; nil leaves the access point out.
    ///   - isSingle: whether the access point is an object and not a list, which both are allowed.
    package static func digitalObject(
        _ name: String, of visualItem: Int, image: String?, isDownloadable: Bool = true,
        isSingle: Bool = false
    ) -> JSON {
        let remarks = [isDownloadable ? "downloadbaar" : "niet downloadbaar", "zichtbaar"]
        var fields =
            record(name, "DigitalObject") + [
                "referred_to_by": .list(
                    remarks.map { ["type": "LinguisticObject", "content": .text($0)] }),
                "digitally_shows": [record(visualItem, "VisualItem")],
            ]
        if let image {
            let point = node(
                "https://\(imageHost)/\(image)/full/max/0/default.jpg", "DigitalObject")
            fields += ["access_point": isSingle ? point : [point]]
        }
        return fields
    }

    /// `info.json` of the IIIF Image API 3.
    package static func imageInfo(_ image: String, width: Int, height: Int) -> JSON {
        [
            "id": "https://\(imageHost)/\(image)", "type": "ImageService3",
            "width": .integer(width), "height": .integer(height), "maxArea": .integer(maxArea),
        ]
    }

    /// A page of a search. Other pages are told by their addresses.
    package static func page(
        _ objects: [Int], total: Int, address: String = "", next: String? = nil
    ) -> JSON {
        var fields: JSON = [
            "@context": "https://linked.art/ns/v1/search.json", "id": .text(address),
            "type": "OrderedCollectionPage",
            "partOf": ["type": "OrderedCollection", "totalItems": .integer(total)],
        ]
        if let next { fields += ["next": node(next, "OrderedCollectionPage")] }
        return fields + ["orderedItems": .list(objects.map { record($0, "HumanMadeObject") })]
    }

    /// The body of errors.
    package static func problem(_ detail: String) -> JSON { ["detail": .text(detail)] }

    static func node(_ id: String, _ type: JSON) -> JSON { ["id": .text(id), "type": type] }

    static func record(_ number: some CustomStringConvertible, _ type: JSON) -> JSON {
        node("https://\(recordHost)/\(number)", type)
    }
}
