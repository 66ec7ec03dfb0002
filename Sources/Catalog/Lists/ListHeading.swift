/// The columns of a table, or the members of JSON lines, and which of them have URL, id and title. Pure.
struct ListHeading: Sendable, Equatable {
    /// Positions of the columns.
    var url: Int
    var id: Int?
    var title: Int?
    /// Number of columns.
    var count: Int

    private static let urlNames = ["url", "imageurl", "image", "src", "path", "file"]
    private static let idNames = [
        "id", "key", "sku", "variantsku", "productid", "itemid", "articleid", "productcode", "code",
        "handle", "ean", "gtin", "isbn", "barcode", "artikelnummer", "artikel",
    ]
    private static let titleNames = [
        "title", "name", "caption", "producttitle", "productname", "label", "titel", "titre",
        "titolo",
    ]
    private static let pictureWords = [
        "image", "img", "picture", "photo", "poster", "cover", "artwork", "thumb", "src", "bild",
        "foto",
    ]

    /// Finds the columns by the operator's words, by the values of the first rows, and by the names.
    ///
    /// - Parameters:
    ///   - names: of the columns; nil if the list doesn't name them.
    ///   - rows: the first ones.
    /// - Throws: ``UnreadableList`` if it is in doubt which column has the URLs.
    init(
        _ names: [String]?, line: Int, rows: [[String]], _ wanted: ListColumns
    ) throws(UnreadableList) {
        let known = (names ?? []).map(Self.simple)
        func position(_ wanted: String, _ option: String) throws(UnreadableList) -> Int {
            let same = names?.firstIndex { $0.lowercased() == wanted.lowercased() }
            if let place = same ?? known.firstIndex(of: Self.simple(wanted)) { return place }
            let columns = names?.count ?? rows.first?.count ?? 0
            if let number = Int(wanted), 1...max(1, columns) ~= number { return number - 1 }
            throw UnreadableList(
                reason: names.map {
                    "Line \(line) names \(Self.shown($0)); none is “\(wanted.shortened)”. Correct "
                        + "\(option)."
                }
                    ?? "The columns of line \(line) have no names; say \(option) with a number from 1 "
                    + "to \(columns).")
        }
        func first(_ names: [String]) -> Int? {
            for name in names {
                if let place = known.firstIndex(of: name) { return place }
            }
            return nil
        }
        url =
            if let wanted = wanted.url {
                try position(wanted, "--url-column")
            } else {
                try Self.urlColumn(names, line: line, rows)
            }
        id =
            if let wanted = wanted.id { try position(wanted, "--id-column") } else {
                first(Self.idNames)
            }
        title =
            if let wanted = wanted.title { try position(wanted, "--title-column") } else {
                first(Self.titleNames)
            }
        if wanted.id == nil, id == url { id = nil }
        if wanted.title == nil, title == url { title = nil }
        count = names?.count ?? rows.first?.count ?? 0
    }

    private static func urlColumn(
        _ names: [String]?, line: Int, _ rows: [[String]]
    ) throws(UnreadableList) -> Int {
        let columns = names?.count ?? rows.first?.count ?? 0
        let simple = (names ?? []).map(Self.simple)
        let withURLs = (0..<columns).filter { column in
            let values = rows.compactMap { row in
                column < row.count && !row[column].isEmpty ? row[column] : nil
            }
            // A few values may be broken.
            let urls = values.count(where: ListedURL.isURL)
            return urls > 0 && urls * 2 > values.count
        }
        if withURLs.count == 1 { return withURLs[0] }
        if withURLs.isEmpty {
            for name in urlNames {
                if let place = simple.firstIndex(of: name) { return place }
            }
            guard let names else {
                throw UnreadableList(reason: "Line \(line) has no column of URLs.")
            }
            let guess = names.first { looksLikePicture($0) } ?? names.first ?? "1"
            throw UnreadableList(
                reason:
                    "Line \(line) names \(shown(names)); none is a URL column. Say --url-column "
                    + "\(guess).")
        }
        // A product's page beside its picture.
        let pictures = withURLs.filter { column in
            names.map { looksLikePicture($0[column]) } ?? false
        }
        if pictures.count == 1 { return pictures[0] }
        let among = pictures.isEmpty ? withURLs : pictures
        for name in urlNames {
            if let place = among.first(where: { $0 < simple.count && simple[$0] == name }) {
                return place
            }
        }
        let byEnding = among.filter { column in
            rows.allSatisfy { row in
                column >= row.count || row[column].isEmpty
                    || ListedURL.isPictureName(ListedURL.first(of: row[column]))
            }
        }
        if byEnding.count == 1 { return byEnding[0] }
        guard let names else {
            throw UnreadableList(
                reason: "Line \(line) has URLs in columns "
                    + "\(withURLs.map { "\($0 + 1)" }.listed(by: "and")), and no names. Say "
                    + "--url-column \(withURLs[0] + 1).")
        }
        throw UnreadableList(
            reason:
                "Line \(line) names \(shown(names)); \(among.map { names[$0] }.listed(by: "and")) "
                + "have URLs. Say --url-column \(names[among[0]]).")
    }

    /// The columns' names in a sentence; of a wide table the first ones.
    private static func shown(_ names: [String]) -> String {
        names.prefix(20).map(\.shortened).joined(separator: ", ") + (names.count > 20 ? ", …" : "")
    }

    /// Returns a name without blanks, hyphens and the like, in lower case: `Image URL` is `imageurl`.
    static func simple(_ name: String) -> String {
        name.lowercased().filter { $0.isLetter || $0.isNumber }
    }

    private static func looksLikePicture(_ name: String) -> Bool {
        let name = simple(name)
        return pictureWords.contains { name.contains($0) }
    }

    /// Whether names alone tell which column has the URLs.
    static func hasURLName(_ names: [String]) -> Bool {
        names.contains { urlNames.contains(simple($0)) }
    }
}
