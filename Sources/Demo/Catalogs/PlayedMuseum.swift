import FoundationEssentials
import Imaging
import PlayedAPIs

/// The Rijksmuseum: the search, a hundred objects a page; records for programs, pages for people; and
/// artworks in any size by the IIIF Image API 3, whole and upright.
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
        let (query, fields) = (request.query, QueryText.fields(request.queryText))
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
            address: part(first), next: next < found.count ? part(next) : nil,
            previous: first > 0 ? part(max(0, first - Self.pageSize)) : nil)
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

    /// Programs get the record, people are sent to a page, and others to the other host.
    func link(_ request: DemoRequest) -> DemoAnswer {
        let accept = request.accept ?? "*/*"
        if !accept.contains("json"), accept.contains("text/html") {
            return .redirect("https://www.rijksmuseum.nl/nl/collectie/object\(request.path)")
        }
        return !accept.contains("json") || detours.contains(request.names[0])
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

    /// `/{image}/{region}/{size}/{rotation}/{quality}.{format}`.
    func picture(_ request: DemoRequest) async -> DemoAnswer {
        let names = request.names
        guard let object = byImage[names[0]] else { return .notFound }
        let ending = names[4].split(separator: ".", omittingEmptySubsequences: false)
        guard ending.count == 2, let format = PictureHost.formats[String(ending[1])],
            let size = IIIFSize(names[2], width: object.width, height: object.height)
        else { return .html("400 Bad Request", status: 400) }
        guard names[1] == "full", names[3] == "0", ["default", "color"].contains(ending[0]) else {
            return .html("501 Not Implemented", status: 501)
        }
        let file = PictureHost.File(
            drawing: "iiif.micr.io/\(object.image)/\(size.width),\(size.height).\(ending[1])",
            modified: 1_601_363_948, contentType: format.type)
        return await pictures.answer(request, file) { [artist] in
            [try format.encode(artist.artwork(object).draw(width: size.width, height: size.height))]
        }
    }
}

/// The size segment of the IIIF Image API 3: `max`, `!400,400`, `400,`, `,400`, `400,300`, `pct:25`,
/// each with a caret where enlarging is allowed.
///
/// <https://iiif.io/api/image/3.0/#42-size>
struct IIIFSize: Sendable, Equatable {
    /// Pixels of the answer.
    var width: Int
    var height: Int

    /// Returns `nil` if the segment is not a size, enlarges without a caret, or exceeds the server's
    /// area.
    init?(
        _ segment: String, width: Int, height: Int, maxArea: Int = MuseumDocument.maxArea
    ) {
        // Clients that encode everything send `%5E`.
        var text = segment.lowercased().hasPrefix("%5e") ? "^" + segment.dropFirst(3) : segment
        let enlarges = text.hasPrefix("^")
        if enlarges { text.removeFirst() }
        (self.width, self.height) = (width, height)
        // Served whole, whatever its area: the real server does up to 42 megapixels.
        if text == "max" { return }
        let (w, h) = (Double(width), Double(height))
        let isBox = text.hasPrefix("!")
        let sides = text.dropFirst(isBox ? 1 : 0)
            .split(separator: ",", omittingEmptySubsequences: false)
        let numbers = sides.map { Double($0) ?? ($0.isEmpty ? 0 : .nan) }
        let wanted: (width: Double, height: Double)
        if text.hasPrefix("pct:") {
            let share = (Double(text.dropFirst(4)) ?? 0) / 100
            guard share > 0 else { return nil }
            wanted = (max(1, w * share), max(1, h * share))
        } else {
            guard sides.count == 2, numbers.allSatisfy({ 0...1e6 ~= $0 }) else { return nil }
            switch (numbers[0], numbers[1], isBox) {
            case (let wide, let high, true):
                // A box never enlarges by itself, so it can't be too large either.
                let scale = min(wide / w, high / h, enlarges ? .infinity : 1)
                wanted = (w * scale, h * scale)
            case (let wide, 0, false) where sides[1].isEmpty: wanted = (wide, max(1, wide / w * h))
            case (0, let high, false) where sides[0].isEmpty: wanted = (max(1, high / h * w), high)
            case (let wide, let high, false): wanted = (wide, high)
            }
        }
        guard 1...16_383 ~= wanted.width.rounded(), 1...16_383 ~= wanted.height.rounded() else {
            return nil
        }
        self.width = Int(wanted.width.rounded())
        self.height = Int(wanted.height.rounded())
        guard enlarges || self.width <= width && self.height <= height,
            self.width * self.height <= maxArea
        else { return nil }
    }
}
