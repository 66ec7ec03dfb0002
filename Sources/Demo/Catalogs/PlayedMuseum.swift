import FoundationEssentials
import Imaging
import JSON
import PlayedAPIs

/// The Rijksmuseum: the search, a hundred objects a page; records; and artworks within any box by the IIIF Image
/// API 3, whole and upright.
struct PlayedMuseum: Sendable {
    private let catalog: ObjectCatalog
    private let artist: Artist
    private let pictures: PictureHost
    /// Documents by their number: objects, visual items and digital objects.
    private let records: [String: JSON]
    /// Objects whose records are at the other host, a detour of which the docs speak.
    private let detours: Set<String>
    private let byImage: [String: DemoObject]

    static let pageSize = 100

    init(_ catalog: ObjectCatalog, _ artist: Artist, _ pictures: PictureHost) {
        self.catalog = catalog
        self.artist = artist
        self.pictures = pictures
        byImage = Dictionary(uniqueKeysWithValues: catalog.objects.map { ($0.image, $0) })
        detours = Set(catalog.objects.filter { $0.index % 13 == 3 }.map { "\($0.number)" })
        records = catalog.objects.reduce(into: [:]) { records, object in
            let (quirk, names) = (object.quirk, object.digitalObjects)
            records["\(object.number)"] = object.record.json
            records["\(object.visualItem)"] = MuseumDocument.visualItem(
                object.visualItem, of: object.number,
                digitalObjects: quirk == .noPicture ? [] : names,
                isPublic: quirk != .notDownloadable)
            for name in names {
                let hasImage = name == names.last && quirk != .noAccessPoint
                records[name] = MuseumDocument.digitalObject(
                    name, of: object.visualItem, image: hasImage ? object.image : nil,
                    isDownloadable: quirk != .notDownloadable, isSingle: object.index % 11 == 6)
            }
        }
    }

    // MARK: Search

    func search(_ request: DemoRequest) -> DemoAnswer {
        let (query, fields) = (request.query, DemoRequest.fields(of: request.queryText))
        if let unknown = fields.first(where: { !Self.parameters.contains($0.name) }) {
            return problem("Unsupported query parameter: \(unknown.name)")
        }
        guard let first = query["pageToken"].map(Self.offset) ?? 0 else {
            return problem("Invalid page token")
        }
        guard [nil, "true", "false"].contains(query["imageAvailable"]) else {
            return problem("Invalid value for imageAvailable")
        }
        return .json(page(objects(query), from: first, queryText: request.queryText))
    }

    private static let parameters: Set<String> = [
        "title", "creator", "objectNumber", "creationDate", "type", "technique", "material",
        "imageAvailable", "pageToken",
    ]

    /// Whole words of titles and makers in both languages; all conditions at once.
    func objects(_ query: [String: String]) -> [DemoObject] {
        func text(_ words: [Bilingual]) -> String {
            words.map { "\($0.dutch) \($0.english)" }.joined(separator: " ")
        }
        return catalog.objects.filter { object in
            let record = object.record
            let texts = [
                "title": "\(record.title) \(record.englishTitle ?? "")",
                "creator": record.maker?.name ?? "", "type": text([record.type]),
                "technique": text([record.technique]), "material": text(record.materials),
            ]
            return query.allSatisfy { name, value in
                switch name {
                case "objectNumber": Self.matches(record.objectNumber[...], value[...])
                case "creationDate":
                    record.years?.contains { Self.matches("\($0)"[...], value[...]) } == true
                case "imageAvailable": (value == "true") == (object.quirk != .noPicture)
                default: texts[name].map { SearchWords(value).areIn($0) } ?? true
                }
            }
        }
    }

    /// `*` stands for any letters, `?` for one.
    private static func matches(_ text: Substring, _ pattern: Substring) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == "*" {
            return matches(text, pattern.dropFirst())
                || !text.isEmpty && matches(text.dropFirst(), pattern)
        }
        guard let letter = text.first, first == "?" || first == letter else { return false }
        return matches(text.dropFirst(), pattern.dropFirst())
    }

    private func page(_ found: [DemoObject], from first: Int, queryText: String) -> JSON {
        let rest = queryText.split(separator: "&").filter { !$0.hasPrefix("pageToken=") }
        func part(_ offset: Int) -> String {
            let token = offset > 0 ? ["pageToken=\(Self.token(offset))"] : []
            let query = (rest.map(String.init) + token).joined(separator: "&")
            return "https://\(MuseumDocument.searchHost)/search/collection"
                + (query.isEmpty ? "" : "?\(query)")
        }
        let next = first + Self.pageSize
        return MuseumDocument.page(
            found.dropFirst(first).prefix(Self.pageSize).map(\.number), total: found.count,
            address: part(first), next: next < found.count ? part(next) : nil)
    }

    /// Base64 of `{"token": 104}` without padding.
    private static func token(_ offset: Int) -> String {
        let text = Data("{\"token\": \(offset)}".utf8).base64EncodedString()
        return String(text.prefix { $0 != "=" })
    }

    private static func offset(_ token: String) -> Int? {
        let padding = String(repeating: "=", count: (4 - token.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: token + padding) else { return nil }
        let match = String(decoding: data, as: UTF8.self).wholeMatch(of: /\{"token": (\d{1,9})\}/)
        return match.flatMap { Int($0.1) }
    }

    private func problem(_ detail: String) -> DemoAnswer {
        .json(MuseumDocument.problem(detail), status: 400)
    }

    // MARK: Records

    func record(_ request: DemoRequest) -> DemoAnswer {
        guard let record = records[request.names[0]] else {
            let isNumber = request.names[0].allSatisfy(\.isNumber)
            return .json(
                MuseumDocument.problem("Unknown identifier"), status: isNumber ? 400 : 404)
        }
        return .json(record, type: "application/ld+json")
    }

    /// Programs that ask for JSON get the record, others are sent to the other host.
    func link(_ request: DemoRequest) -> DemoAnswer {
        request.accept?.contains("json") != true || detours.contains(request.names[0])
            ? .redirect("https://\(MuseumDocument.searchHost)\(request.path)") : record(request)
    }

    // MARK: Pictures

    func service(_ request: DemoRequest) -> DemoAnswer {
        byImage[request.names[0]] == nil
            ? .notFound : .redirect("https://\(request.host)/\(request.names[0])/info.json")
    }

    func info(_ request: DemoRequest) -> DemoAnswer {
        guard let object = byImage[request.names[0]] else { return .notFound }
        return .json(
            MuseumDocument.imageInfo(object.image, width: object.width, height: object.height),
            type: "application/ld+json")
    }

    /// `/{image}/full/!{width},{height}/0/default.jpg`, of all that the IIIF Image API 3 allows.
    func picture(_ request: DemoRequest) async -> DemoAnswer {
        let names = request.names
        guard let object = byImage[names[0]] else { return .notFound }
        guard names[1] == "full", names[3] == "0", names[4] == "default.jpg",
            let (width, height) = Self.size(names[2], object.width, object.height)
        else { return .html("400 Bad Request", status: 400) }
        let file = PictureHost.File(
            drawing: "iiif.micr.io/\(object.image)/\(width),\(height)", modified: 1_601_363_948)
        return await pictures.answer(request, file) { [artist] in
            let canvas = try artist.artwork(object).draw(width: width, height: height)
            return [try canvas.encodeJPEG(quality: Artist.quality)]
        }
    }

    /// Returns the pixels of a picture in a box such as `!400,300`, which never enlarges; nil for anything else, and
    /// for more than the server's area.
    static func size(_ segment: String, _ width: Int, _ height: Int) -> (width: Int, height: Int)? {
        guard let box = segment.wholeMatch(of: /!(\d{1,5}),(\d{1,5})/), let wide = Double(box.1),
            let high = Double(box.2), min(wide, high) > 0
        else { return nil }
        let scale = min(wide / Double(width), high / Double(height), 1)
        func scaled(_ side: Int) -> Int { max(1, Int((Double(side) * scale).rounded())) }
        let size = (width: scaled(width), height: scaled(height))
        return size.width * size.height <= MuseumDocument.maxArea ? size : nil
    }
}
