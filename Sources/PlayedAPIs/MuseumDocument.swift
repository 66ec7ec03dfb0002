/// The Rijksmuseum's documents besides objects: what lies between an object and its picture, and
/// pages of a search.
package enum MuseumDocument {
    package static let searchHost = "data.rijksmuseum.nl"
    package static let recordHost = "id.rijksmuseum.nl"
    package static let imageHost = "iiif.micr.io"

    /// Limit of the square pixels that the image server returns for a requested size.
    package static let maxArea = 17_550_000

    private static let context: JSON = "https://linked.art/ns/v1/linked-art.json"

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
            ? LinkedArt.right(
                Bilingual("Publieke domein", "Public Domain"),
                "https://creativecommons.org/publicdomain/mark/1.0/")
            : LinkedArt.right(
                Bilingual("Auteursrecht", "Copyright"),
                "https://rightsstatements.org/vocab/InC/1.0/")
        let fields: JSON = [
            "@context": context, "id": LinkedArt.id(number), "type": "VisualItem",
            "subject_to": [right],
            "shown_by": [LinkedArt.reference(object, "HumanMadeObject")],
        ]
        guard !digitalObjects.isEmpty else { return fields }
        let pictures = digitalObjects.map { LinkedArt.reference($0, "DigitalObject") }
        return fields + ["digitally_shown_by": .array(pictures)]
    }

    /// One picture of a visual item.
    ///
    /// - Parameters:
    ///   - image: its name on the image server; nil leaves the access point out.
    ///   - style: see ``MuseumObject/style``.
    package static func digitalObject(
        _ name: String, of visualItem: Int, image: String?, isDownloadable: Bool = true,
        style: Int = 0
    ) -> JSON {
        let art = LinkedArt(style: style)
        func statement(_ text: String) -> JSON {
            [
                "type": "LinguisticObject", "content": .string(text),
                "classified_as": art.types("300435434"),
            ]
        }
        let statements = [
            statement(isDownloadable ? "downloadbaar" : "niet downloadbaar"),
            statement("zichtbaar"),
        ]
        var fields: JSON = [
            "@context": context, "id": LinkedArt.id(name), "type": "DigitalObject",
            "referred_to_by": .array(style.isMultiple(of: 2) ? statements : statements.reversed()),
        ]
        if let image {
            let point = LinkedArt.node(
                "https://\(imageHost)/\(image)/full/max/0/default.jpg", "DigitalObject")
            fields += ["access_point": style % 11 == 6 ? point : [point]]
        }
        return fields + ["digitally_shows": [LinkedArt.reference(visualItem, "VisualItem")]]
    }

    /// `info.json` of the IIIF Image API 3.
    package static func imageInfo(
        _ image: String, width: Int, height: Int, title: String = ""
    ) -> JSON {
        let tiles: JSON = ["scaleFactors": [1, 2, 4, 8], "width": 1_024, "height": 1_024]
        return [
            "@context": "http://iiif.io/api/image/3/context.json",
            "id": "https://\(imageHost)/\(image)", "type": "ImageService3",
            "protocol": "http://iiif.io/api/image", "profile": "level2",
            "qualities": JSON(strings: ["default", "color"]),
            "formats": JSON(strings: ["jpg", "png", "webp"]), "tiles": [tiles],
            "created": 1_732_135_904_254, "width": .integer(width), "height": .integer(height),
            "title": .string(title), "tileSize": 1_024, "version": "4.1", "viewsWH": false,
            "organisation": [
                "name": "Rijks Collectie", "slug": "rijks-collectie", "logo": .null,
                "baseUrl": "https://micrio.rijksmuseum.nl/",
            ], "tileBasePath": "https://micrio.rijksmuseum.nl/", "maxArea": .integer(maxArea),
            "extraFeatures": JSON(strings: [
                "baseUriRedirect", "cors", "sizeByConfinedWh", "sizeByH", "sizeByPct",
                "sizeByW", "sizeByWh", "sizeUpscaling",
            ]),
        ]
    }

    /// A page of a search. Other pages are told by their addresses.
    package static func page(
        _ objects: [Int], total: Int, address: String = "", first: String = "", last: String = "",
        next: String? = nil, previous: String? = nil
    ) -> JSON {
        func link(_ address: String) -> JSON {
            ["id": .string(address), "type": "OrderedCollectionPage"]
        }
        var fields: JSON = [
            "@context": "https://linked.art/ns/v1/search.json", "id": .string(address),
            "type": "OrderedCollectionPage",
            "partOf": [
                "id": .string(first), "type": "OrderedCollection", "totalItems": .integer(total),
                "first": link(first), "last": link(last),
            ],
        ]
        if let next { fields += ["next": link(next)] }
        if let previous { fields += ["prev": link(previous)] }
        let items = objects.map { LinkedArt.reference($0, "HumanMadeObject") }
        return fields + ["orderedItems": .array(items)]
    }

    /// The body of errors.
    package static func problem(_ detail: String) -> JSON { ["detail": .string(detail)] }
}
