/// Writes what lies between an object and its picture: visual item, digital objects, and the image
/// server's description.
struct RijksmuseumImageJSON: Sendable {
    let object: DemoObject
    private let art: LinkedArt

    /// Square pixels that the image server gives at most where a size is asked for.
    static let maxArea = 17_550_000

    init(_ object: DemoObject) {
        self.object = object
        art = LinkedArt(style: object.index)
    }

    var visualItem: JSON {
        let right =
            object.peculiarity == .notDownloadable
            ? LinkedArt.right(
                Bilingual("Auteursrecht", "Copyright"),
                "https://rightsstatements.org/vocab/InC/1.0/")
            : LinkedArt.right(
                Bilingual("Publieke domein", "Public Domain"),
                "https://creativecommons.org/publicdomain/mark/1.0/")
        var fields: JSON = [
            "@context": "https://linked.art/ns/v1/linked-art.json",
            "id": LinkedArt.id(object.visualItem), "type": "VisualItem", "subject_to": [right],
            "shown_by": [LinkedArt.reference(object.number, "HumanMadeObject")],
        ]
        if object.peculiarity != .noDigitalObject {
            let ids = object.digitalObjects.map { LinkedArt.reference($0, "DigitalObject") }
            fields += ["digitally_shown_by": .array(ids)]
        }
        return fields
    }

    /// `position` is its place among the object's digital objects.
    func digitalObject(_ position: Int) -> JSON {
        func statement(_ text: String) -> JSON {
            [
                "type": "LinguisticObject", "content": .string(text),
                "classified_as": art.types("300435434"),
            ]
        }
        let isLoadable = object.peculiarity != .notDownloadable
        let statements = [
            statement(isLoadable ? "downloadbaar" : "niet downloadbaar"), statement("zichtbaar"),
        ]
        var fields: JSON = [
            "@context": "https://linked.art/ns/v1/linked-art.json",
            "id": LinkedArt.id(object.digitalObjects[position]), "type": "DigitalObject",
            "referred_to_by": .array(
                art.style.isMultiple(of: 2) ? statements : statements.reversed()),
        ]
        let isLast = position == object.digitalObjects.count - 1
        if isLast, object.peculiarity != .noAccessPoint {
            let point = LinkedArt.node(
                "https://iiif.micr.io/\(object.image)/full/max/0/default.jpg", "DigitalObject")
            fields += ["access_point": art.style % 11 == 6 ? point : [point]]
        }
        fields += ["digitally_shows": [LinkedArt.reference(object.visualItem, "VisualItem")]]
        return fields
    }

    /// `info.json` of the IIIF Image API 3.
    var info: JSON {
        let tiles: JSON = [
            "scaleFactors": .array([1, 2, 4, 8].map(JSON.integer)),
            "width": 1_024,
            "height": 1_024,
        ]
        return [
            "@context": "http://iiif.io/api/image/3/context.json",
            "id": "https://iiif.micr.io/\(object.image)", "type": "ImageService3",
            "protocol": "http://iiif.io/api/image", "profile": "level2",
            "qualities": JSON(strings: ["default", "color"]),
            "formats": JSON(strings: ["jpg", "png", "webp"]), "tiles": [tiles],
            "created": 1_732_135_904_254, "width": .integer(object.width),
            "height": .integer(object.height), "title": .string(object.objectNumber),
            "tileSize": 1_024, "version": "4.1", "viewsWH": false,
            "organisation": [
                "name": "Rijks Collectie", "slug": "rijks-collectie", "logo": .null,
                "baseUrl": "https://micrio.rijksmuseum.nl/",
            ], "tileBasePath": "https://micrio.rijksmuseum.nl/", "maxArea": .integer(Self.maxArea),
            "extraFeatures": JSON(strings: [
                "baseUriRedirect", "cors", "sizeByConfinedWh", "sizeByH", "sizeByPct",
                "sizeByW", "sizeByWh", "sizeUpscaling",
            ]),
        ]
    }
}

extension DemoObject {
    var visualItem: Int { number + 2_000_000 }

    /// Names of its digital objects: usually one.
    var digitalObjects: [String] {
        let codes = "500" + image.utf8.map(String.init).joined()
        return peculiarity == .secondDigitalObject ? [codes + "1", codes + "2"] : [codes]
    }
}
