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
        var fields: [(name: String, value: JSON)] = [
            ("@context", "https://linked.art/ns/v1/linked-art.json"),
            ("id", LinkedArt.id(object.visualItem)), ("type", "VisualItem"),
            ("subject_to", .array([right])),
            ("shown_by", .array([LinkedArt.reference(object.number, "HumanMadeObject")])),
        ]
        if object.peculiarity != .noDigitalObject {
            let ids = object.digitalObjects.map { LinkedArt.reference($0, "DigitalObject") }
            fields.append(("digitally_shown_by", .array(ids)))
        }
        return .object(fields)
    }

    /// `position` is its place among the object's digital objects.
    func digitalObject(_ position: Int) -> JSON {
        func statement(_ text: String) -> JSON {
            .object([
                ("type", "LinguisticObject"), ("content", .string(text)),
                ("classified_as", art.types("300435434")),
            ])
        }
        let isLoadable = object.peculiarity != .notDownloadable
        let statements = [
            statement(isLoadable ? "downloadbaar" : "niet downloadbaar"), statement("zichtbaar"),
        ]
        var fields: [(name: String, value: JSON)] = [
            ("@context", "https://linked.art/ns/v1/linked-art.json"),
            ("id", LinkedArt.id(object.digitalObjects[position])), ("type", "DigitalObject"),
            (
                "referred_to_by",
                .array(art.style.isMultiple(of: 2) ? statements : statements.reversed())
            ),
        ]
        let isLast = position == object.digitalObjects.count - 1
        if isLast, object.peculiarity != .noAccessPoint {
            let point = LinkedArt.node(
                "https://iiif.micr.io/\(object.image)/full/max/0/default.jpg", "DigitalObject")
            fields.append(("access_point", art.style % 11 == 6 ? point : .array([point])))
        }
        fields.append(
            ("digitally_shows", .array([LinkedArt.reference(object.visualItem, "VisualItem")])))
        return .object(fields)
    }

    /// `info.json` of the IIIF Image API 3.
    var info: JSON {
        let tiles = JSON.object([
            ("scaleFactors", .array([1, 2, 4, 8].map(JSON.integer))), ("width", .integer(1_024)),
            ("height", .integer(1_024)),
        ])
        return .object([
            ("@context", "http://iiif.io/api/image/3/context.json"),
            ("id", .string("https://iiif.micr.io/\(object.image)")), ("type", "ImageService3"),
            ("protocol", "http://iiif.io/api/image"), ("profile", "level2"),
            ("qualities", JSON(strings: ["default", "color"])),
            ("formats", JSON(strings: ["jpg", "png", "webp"])), ("tiles", .array([tiles])),
            ("created", .integer(1_732_135_904_254)), ("width", .integer(object.width)),
            ("height", .integer(object.height)), ("title", .string(object.objectNumber)),
            ("tileSize", .integer(1_024)), ("version", "4.1"), ("viewsWH", .bool(false)),
            (
                "organisation",
                .object([
                    ("name", "Rijks Collectie"), ("slug", "rijks-collectie"), ("logo", .null),
                    ("baseUrl", "https://micrio.rijksmuseum.nl/"),
                ])
            ),
            ("tileBasePath", "https://micrio.rijksmuseum.nl/"),
            ("maxArea", .integer(Self.maxArea)),
            (
                "extraFeatures",
                JSON(strings: [
                    "baseUriRedirect", "cors", "sizeByConfinedWh", "sizeByH", "sizeByPct",
                    "sizeByW", "sizeByWh", "sizeUpscaling",
                ])
            ),
        ])
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
